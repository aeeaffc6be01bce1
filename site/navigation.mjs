// The pages of the site in the order in which they are listed. A page of docs/ that is missing here, or a page here that
// does not exist, fails the build. All pages of a `folder` are listed.
export const SECTIONS = [
  {
    title: 'Start',
    pages: [
      'README.md',
      'docs/start.md',
      'docs/migrate.md',
      'docs/faq.md',
      'docs/troubleshooting.md',
      'docs/comparison.md',
    ],
  },
  {
    title: 'Recipes',
    pages: [],
    folder: 'docs/recipes',
  },
  {
    title: 'How a run goes',
    pages: ['docs/loop.md', 'docs/stream.md', 'docs/budgets.md', 'docs/context.md'],
  },
  { title: 'Models', pages: ['docs/models.md'] },
  { title: 'At a terminal', pages: ['docs/screen.md', 'docs/cli.md'] },
  {
    title: 'What it may do',
    pages: ['docs/permissions.md', 'docs/auto.md', 'docs/sandbox.md', 'docs/hooks.md', 'docs/security.md'],
  },
  {
    title: 'What it can do',
    pages: [
      'docs/tools.md',
      'docs/mcp.md',
      'docs/agents.md',
      'docs/tasks.md',
      'docs/language-servers.md',
      'docs/verify.md',
    ],
  },
  {
    title: 'What you tell it',
    pages: ['docs/settings.md', 'docs/memory.md', 'docs/commands.md', 'docs/skills.md', 'docs/plugins.md'],
  },
  {
    title: 'Sessions and servers',
    pages: [
      'docs/sessions.md',
      'docs/worktrees.md',
      'docs/inspector.md',
      'docs/web.md',
      'docs/python.md',
      'docs/deployment.md',
      'docs/deploy.md',
      'docs/tracing.md',
    ],
  },
  { title: 'Tests', pages: ['docs/testing.md', 'docs/rehearsal.md', 'docs/replay.md', 'docs/evals.md'] },
  {
    title: 'Reference',
    pages: ['api.md', 'docs/options.md', 'docs/reference.md', 'docs/compatibility.md'],
  },
  {
    title: 'About',
    pages: [
      'examples/README.md',
      'docs/performance.md',
      'docs/scale.md',
      'docs/reliability.md',
      'ARCHITECTURE.md',
      'docs/first-change.md',
      'docs/journeys.md',
      'docs/dependencies.md',
      'CONTRIBUTING.md',
      'SECURITY.md',
      'CHANGELOG.md',
    ],
  },
];

/** Titles in the list where the page's own heading is too long for it. */
export const SHORT = {
  'README.md': 'Turnwright',
  'docs/start.md': 'Start in ten minutes',
  'docs/migrate.md': 'From Claude Code',
  'docs/recipes/sessions-in-my-database.md': 'Sessions in my database',
  'docs/recipes/structured-output.md': 'Structured output',
  'docs/recipes/test-with-a-scripted-model.md': 'Test without a model',
  'docs/comparison.md': 'Comparison',
  'docs/deploy.md': 'Workers on Postgres',
  'docs/compatibility.md': 'Compatibility in detail',
  'docs/scale.md': 'Scale',
  'examples/README.md': 'Example programs',
};

/** Pages that are only linked. */
export const UNLISTED = ['docs/spec/'];
