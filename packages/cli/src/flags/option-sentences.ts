/** Made by `npm run docs`: the first sentence of each option whose flag is in the help. */
import type { OptionName } from '@turnwright/engine/options/table.ts';

export const OPTION_SENTENCES: Readonly<Record<string, { readonly [Name in OptionName]?: string }>> = {
  Output: {
    outputFormat: 'the answer must be a value of this schema, which the result carries as structured_output',
    includePartialMessages: 'emits the raw stream events of the model too, as stream_event messages',
  },
  'Model and limits': {
    model: 'id of the model, or an alias: opus, sonnet, haiku, fable; default claude-opus-5-5',
    provider:
      'whose model is asked: anthropic, bedrock, vertex, foundry, openai-compatible, ollama, lmstudio, llamacpp, vllm, or a name of providers',
    baseUrl: "address of the provider's API, for anthropic and openai-compatible",
    fallbackModel:
      'models to try in order, separated by commas, when the model is overloaded, stalls or refuses, has no quota or credit left, or is gone',
    maxTurns: 'most turns that a prompt may take, a turn being one answer of the model with its tool calls',
    maxBudgetUsd: 'most that the session may spend, in USD',
    askAboveUsd:
      'USD above which a person is asked whether a run shall go on: before it begins, when runs like it came to more, and while it runs, whenever it will probably come to more than was agreed to',
    verify:
      'what must hold when the model says that it is done: commands that must end with exit code 0, files that must exist or must not change, JSON files that must fit a schema, and a judge',
    systemPrompt: 'the system prompt: a text, several texts, or the preset with something appended',
  },
  'Tools and permissions': {
    tools: 'the built-in tools that exist: names, [] for none, or the preset for all',
    allowedTools: 'rules for calls that run without asking, as Tool or Tool(specifier)',
    disallowedTools: 'rules for calls that never run',
    permissionMode: 'who decides about calls that no rule covers',
    autoMode:
      'the judge of the permission mode auto, and its limits: a model that answers questions within bounds, in the place of a person',
    additionalDirectories: 'folders that tools may use besides cwd',
  },
  'Session and settings': {
    resume: 'id of the session to resume',
    continue: 'resumes the newest session of cwd, or begins a new one when there is none',
    sessionId: 'id of the new session, or of the fork; a UUID',
    title: 'title of the new session',
    persistSession: 'whether the session is written to disk; one that is not cannot be resumed',
    settings: 'settings above all settings files: JSON, a path to a file, or the value',
    settingSources: 'settings files to read, of user, project and local',
  },
  Extensions: {
    languageServers:
      'language servers, which see errors at once: what is new since an edit is in its result, and the tool LSP asks them about code',
  },
};
