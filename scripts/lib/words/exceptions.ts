import type { Exception } from './project.ts'

export const exceptions: readonly Exception[] = [
  ...['src/core/sharing/body-rules.ts', 'src/shared/model/sharing.ts'].map((path) => ({
    path,
    words: 'address',
    reason: 'The address of a place, a field of the service.',
  })),
  {
    path: 'src/renderer/features/import-export/share-dialog.tsx',
    words: 'address',
    reason: 'The address of a place, a field of the service.',
  },
  {
    path: 'src/core/sharing/body-rules.ts',
    words: 'mastercard',
    reason: 'The name of a field of the service.',
  },
  {
    path: 'src/core/sandbox/world.ts',
    words: 'bour',
    reason: 'Names of invented brands and programs.',
  },
  ...['Nordlys', 'Brightwater', 'Casa', 'Quatre'].map((words) => ({
    path: 'src/core/sandbox/world.ts',
    words,
    reason: 'Names of invented brands.',
  })),
  {
    path: 'src/renderer/features/detail/history-tab.tsx',
    words: 'text-part-url',
    reason: 'The name of a CSS class.',
  },
  {
    path: 'src/renderer/features/flows/flow-diagram.tsx',
    words: '@keyframes',
    reason: 'A style sheet.',
  },
  {
    path: 'src/shared/model/status.ts',
    words: 'public address',
    reason: 'The name of a check, which scripts read.',
  },
  { path: 'src/core/reports/report-css.ts', words: 'color-scheme', reason: 'A style sheet.' },
  {
    path: 'src/core/tunnels/tunnel-tools.ts',
    words: 'no-autoupdate',
    reason: 'A setting of cloudflared.',
  },
  ...['url', 'answers-after-reading'].map((words) => ({
    path: 'docs/check-cases.md',
    words,
    reason: 'The ID of a check case.',
  })),
  { path: 'src/core/sandbox/sample-cities.ts', words: '', reason: 'Names of cities and streets.' },
  { path: 'src/shared/snippets/languages.ts', words: '', reason: 'Programs in other languages.' },
  ...[
    'src/shared/service/hook-rules.ts',
    'src/shared/service/hook-rules.test.ts',
    'test/integration/registration.test.ts',
  ].map((path) => ({ path, words: 'url', reason: 'The name of a field of the service.' })),
]
