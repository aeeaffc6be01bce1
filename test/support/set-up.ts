import { keepBeforeRemoval } from './keep-sessions.ts';

keepBeforeRemoval();
