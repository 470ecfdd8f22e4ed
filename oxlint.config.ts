/**
 * The lint rules. Layers, sockets and native modules are held by `no-restricted-imports`, whose lists are made here from one
 * table: a later override replaces a rule's whole options, so every folder's list has to repeat all that holds for it.
 * `test/lint` holds a file for each rule that must fail.
 */
import { defineConfig, type OxlintOverride } from 'oxlint'

const layers = ['shared', 'core', 'main', 'preload', 'loopback', 'cli', 'renderer'] as const
type Layer = (typeof layers)[number]

/** Which other layers each may import, as `docs/architecture.md` draws them. */
const mayImport: Record<Layer, readonly Layer[]> = {
  shared: [],
  core: ['shared'],
  main: ['core', 'shared'],
  preload: ['shared'],
  loopback: ['core', 'shared'],
  cli: ['core', 'loopback', 'shared'],
  renderer: ['shared'],
}

/**
 * Which of core's folders each may import, as `docs/architecture.md` draws them: all may import `base`, and `app`
 * composes all. `outgoing/wire` is a folder of its own here: a send that a user starts goes through
 * `admit()`, so what starts one may not reach the wire. Those that may send what no user starts: the sandbox its deliveries, the
 * client of the service's API its calls, a tunnel the test of its address.
 */
export const coreMayImport: Readonly<Record<string, readonly string[]>> = {
  app: [
    'base',
    'check',
    'commands',
    'control',
    'flows',
    'forward',
    'hooks',
    'keeping',
    'outgoing',
    'outgoing/wire',
    'receiver',
    'replay',
    'sandbox',
    'service-api',
    'shrink',
    'signature',
    'store',
    'transfer',
    'tunnels',
  ],
  base: [],
  check: ['base', 'hooks', 'outgoing', 'reports', 'sandbox', 'signature', 'store'],
  commands: ['app', 'base', 'check', 'flows', 'hooks', 'keeping', 'lifecycle', 'signature', 'store', 'transfer', 'tunnels'],
  control: ['base', 'store'],
  flows: ['base', 'hooks', 'outgoing', 'receiver', 'reports', 'sandbox', 'signature', 'store'],
  forward: ['base', 'hooks', 'outgoing', 'receiver', 'store'],
  hooks: ['base', 'service-api', 'signature', 'store'],
  keeping: ['base', 'store'],
  lifecycle: [],
  outgoing: ['base', 'hooks', 'outgoing/wire', 'signature', 'store'],
  'outgoing/wire': ['base'],
  receiver: ['base', 'forward', 'hooks', 'outgoing', 'signature', 'store'],
  replay: ['base', 'hooks', 'outgoing', 'signature', 'store'],
  reports: [],
  sandbox: ['base', 'outgoing', 'outgoing/wire', 'receiver', 'signature'],
  'service-api': ['base', 'outgoing/wire', 'store'],
  shrink: ['base', 'hooks', 'outgoing', 'store'],
  signature: ['base'],
  store: ['base', 'lifecycle', 'signature', 'transfer'],
  transfer: ['base', 'hooks', 'store'],
  tunnels: ['base', 'hooks', 'outgoing/wire', 'receiver', 'store'],
}

const electronLayers: readonly Layer[] = ['main', 'preload']
/** Layers that run where there is no Node: the renderer in a browser, the preload in a sandbox, shared in all of them. */
const layersWithoutNode: readonly Layer[] = ['shared', 'renderer', 'preload']
const socketFolders = [
  'core/receiver',
  'core/sandbox',
  'core/outgoing/wire',
  'core/service-api',
  'core/control',
  'core/tunnels',
  'loopback',
]
const databaseFolders = ['core/store']

interface Pattern {
  readonly regex?: string
  readonly group?: string[]
  readonly message: string
}

const socketModules: Pattern = {
  regex: '^((node:)?(net|tls|http|https|http2|dgram)|undici|ws|fastify|@fastify/.*)(/.*)?$',
  message: `Only ${socketFolders.join(', ')} open sockets.`,
}
const databaseModule: Pattern = { regex: '^better-sqlite3(/.*)?$', message: 'Only core/store imports better-sqlite3.' }
const electronModule: Pattern = { regex: '^electron(/.*)?$', message: 'Only main and preload import electron.' }
const nodeModules: Pattern = { regex: '^node:', message: 'This folder runs where there is no Node: it imports no node: module.' }

function layerPattern(layer: Layer): Pattern {
  const forbidden = layers.filter((other) => other !== layer && !mayImport[layer].includes(other))
  const allowed = mayImport[layer].length === 0 ? 'no other layer' : `${mayImport[layer].join(', ')} alone`
  return { regex: `^(\\.\\./)+(src/)?(${forbidden.join('|')})/`, message: `The layer ${layer} imports ${allowed}.` }
}

const WIRE = 'outgoing/wire'

/** Relative paths are text to the linter: what leads out of a folder begins with `../` and names another. */
function coreFolderPatterns(folder: string): Pattern[] {
  const allowed = coreMayImport[folder] ?? []
  const may = (other: string) => other === folder || allowed.includes(other)
  const closed = Object.keys(coreMayImport).filter((other) => !may(other) && other !== 'outgoing' && other !== WIRE)
  const message = `core/${folder} imports ${allowed.length === 0 ? 'no other folder' : allowed.join(', ')} of core.`
  const patterns: Pattern[] = [{ regex: `^(\\.\\./)+(${closed.join('|')})/`, message }]
  // The wire lies in outgoing: each of the two is closed to those that may only import the other.
  if (!may('outgoing')) patterns.push({ regex: '^(\\.\\./)+outgoing/[^/]+$', message })
  if (folder === WIRE) patterns.push({ regex: '^\\.\\./[^./]', message })
  if (!may(WIRE))
    patterns.push({
      regex: '^(\\.\\./)+outgoing/wire/',
      message: `core/${folder} sends what admit() of core/outgoing admitted, and nothing else.`,
    })
  // The sandbox that `app` runs asks for the consent to what it sends itself.
  if (may('outgoing') && folder !== 'outgoing' && folder !== 'app')
    patterns.push({
      regex: '^(\\.\\./)+hooks/live-guard\\.ts$',
      message: 'admit() of core/outgoing asks for the consent to a send.',
    })
  return patterns
}

type Rules = NonNullable<OxlintOverride['rules']>

/** What a layer may import; `except` names what one of its folders may do that the rest may not. */
function importRule(layer: Layer, except: readonly Pattern[] = [], more: readonly Pattern[] = []): Rules {
  const patterns = [
    layerPattern(layer),
    ...(electronLayers.includes(layer) ? [] : [electronModule]),
    databaseModule,
    // Where no node: module is allowed at all, one message is enough.
    ...(layersWithoutNode.includes(layer) ? [nodeModules] : [socketModules]),
    ...more,
  ].filter((pattern) => !except.includes(pattern))
  return { 'no-restricted-imports': ['error', { patterns }] }
}

/** Sockets need no import where the runtime has them as globals. */
const socketGlobals: Rules = {
  'no-restricted-globals': [
    'error',
    ...['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest'].map((name) => ({ name, message: socketModules.message })),
  ],
}

const htmlSinks = ['innerHTML', 'outerHTML', 'insertAdjacentHTML', 'setHTMLUnsafe', 'createContextualFragment', 'srcdoc'].map(
  (property) => ({ property, message: 'No HTML is made from text: what was captured must never run.' }),
)

const ambient = [
  ['Date', 'now'],
  ['performance', 'now'],
  ['Math', 'random'],
  ['crypto', 'randomUUID'],
].map(([object, property]) => ({ object, property, message: 'The core takes time and chance from Deps.' }))

/**
 * Which features of the window may take something from another, at its `index.ts`. What more of them need lies in `ui`, `state` or
 * `shared`; `app` puts the features together.
 */
const featureMayImport: Readonly<Record<string, readonly string[]>> = {
  detail: ['body', 'list', 'replay', 'shrink'],
  flows: ['tour'],
  hooks: ['forward'],
  list: ['replay', 'tour'],
  settings: ['tour'],
}
const featureMessage = 'A feature takes of another only what the table allows, at its index.ts.'

/**
 * Relative paths are text to the linter, so what reaches another feature depends on how deep a file lies: one `..` from the
 * feature's own folder, two from a folder in it.
 */
function featureOverride(feature: string, others: readonly string[], depth: number): OxlintOverride {
  const up = '../'.repeat(depth)
  const group = [`${up}[a-z]*/**`, ...others.map((other) => `!${up}${other}/index.ts`)]
  return {
    files: [`**/src/renderer/features/${feature}/${'*/'.repeat(depth - 1)}*.{ts,tsx}`],
    rules: importRule('renderer', [], [{ group, message: featureMessage }]),
  }
}

const featureOverrides = [['*', []] as const, ...Object.entries(featureMayImport)].flatMap(([feature, others]) =>
  [1, 2, 3].map((depth) => featureOverride(feature, others, depth)),
)

const insideFeatures: Pattern = {
  group: ['**/features/*/**', '!**/features/*/index.ts'],
  message: 'A feature of the renderer is entered only at its index.ts.',
}
const allFeatures: Pattern = { group: ['**/features/**'], message: 'What every feature uses knows none of them.' }
const allFeaturesButSlices: Pattern = {
  group: ['**/features/**', '!**/features/*/*-slice.ts'],
  message: 'The store takes of a feature only its slices.',
}

const layerOverrides: OxlintOverride[] = [
  ...layers
    .filter((layer) => layer !== 'renderer')
    .map((layer): OxlintOverride => ({ files: [`**/src/${layer}/**`], rules: { ...importRule(layer), ...socketGlobals } })),
  { files: ['**/src/renderer/**'], rules: { ...importRule('renderer', [], [insideFeatures]), ...socketGlobals } },
  ...featureOverrides,
  ...Object.keys(coreMayImport).map((folder): OxlintOverride => {
    const except = [
      ...(socketFolders.includes(`core/${folder}`) ? [socketModules] : []),
      ...(databaseFolders.includes(`core/${folder}`) ? [databaseModule] : []),
    ]
    return { files: [`**/src/core/${folder}/**`], rules: importRule('core', except, coreFolderPatterns(folder)) }
  }),
  {
    files: socketFolders.map((folder) => `**/src/${folder}/**`),
    rules: { 'no-restricted-globals': 'off' },
  },
  { files: ['**/src/loopback/**'], rules: importRule('loopback', [socketModules]) },
  // The one store is made of the slices of all features.
  { files: ['**/src/renderer/state/**'], rules: importRule('renderer', [], [allFeaturesButSlices]) },
  { files: ['**/src/renderer/{ui,host}/**'], rules: importRule('renderer', [], [allFeatures]) },
  // Where the renderer chooses how it reaches the core.
  { files: ['**/src/renderer/host/**'], rules: { 'no-restricted-globals': 'off' } },
  { files: ['**/src/core/**'], rules: { 'no-restricted-properties': ['error', ...htmlSinks, ...ambient] } },
  // What every host puts into Deps.
  { files: ['**/src/core/base/system-clock.ts'], rules: { 'no-restricted-properties': ['error', ...htmlSinks] } },
  // A test stands beside its source and keeps to its layer, but reads files and calls servers wherever that is.
  ...layers.map((layer): OxlintOverride => ({
    files: [`**/src/${layer}/**/*.test.{ts,tsx}`],
    rules: {
      'no-restricted-imports': ['error', { patterns: [layerPattern(layer), electronModule] }],
      'no-restricted-globals': 'off',
      'no-restricted-properties': 'off',
      'no-shadow': 'off',
      // The nearest tsconfig leaves tests out, so that here the linter does not know of noUncheckedIndexedAccess.
      'typescript/no-unnecessary-type-assertion': 'off',
    },
  })),
]

/** Rules of the categories below that only annoyed, each with why. */
const off: Rules = {
  // Bytes that nobody sees are this program's trade.
  'no-control-regex': 'off',
  // Does not see that a callback changes the variable.
  'no-unmodified-loop-condition': 'off',
  'import/no-named-as-default-member': 'off',
  // `_name` says that it is there and not used.
  'no-underscore-dangle': 'off',
  // Styles and polyfills are imported for what they do.
  'import/no-unassigned-import': 'off',
  // A list of any length is a grid of rows that are no table; its keys are heard by the grid, and axe looks at the result.
  'jsx-a11y/click-events-have-key-events': 'off',
  'jsx-a11y/control-has-associated-label': 'off',
  'jsx-a11y/no-static-element-interactions': 'off',
  'jsx-a11y/prefer-tag-over-role': 'off',
  // What scrolls must take the focus, or the keyboard cannot scroll it.
  'jsx-a11y/no-noninteractive-tabindex': 'off',
  // Takes the routes of fastify for those of Express.
  'oxc/no-async-endpoint-handlers': 'off',
  // The same as exhaustive-deps and rules-of-hooks, said a second time.
  'react/exhaustive-effect-dependencies': 'off',
  'react/hooks': 'off',
  'react/react-in-jsx-scope': 'off',
  // Also meant for the compiler of React, which is not used here.
  'react/refs': 'off',
  // The compiler of TypeScript does this, and knows when a switch is exhaustive.
  'typescript/consistent-return': 'off',
  'typescript/no-unsafe-type-assertion': 'off',
  // Objects here are made by functions and closed over, so that their methods stand by themselves.
  'typescript/unbound-method': 'off',
  'unicorn/consistent-function-scoping': 'off',
  'unicorn/no-array-reverse': 'off',
  'unicorn/no-array-sort': 'off',
  'unicorn/no-new-array': 'off',
  // Also spreads that only group fields or arguments.
  'unicorn/no-useless-spread': 'off',
  'unicorn/prefer-string-starts-ends-with': 'off',
  // Meant for windows; the postMessage of workers has no origin.
  'unicorn/require-post-message-target-origin': 'off',
  'vitest/no-conditional-expect': 'off',
  // Does not know the property tests of fast-check.
  'vitest/no-standalone-expect': 'off',
  'vitest/require-mock-type-parameters': 'off',
  'vitest/require-to-throw-message': 'off',
}

export default defineConfig({
  plugins: ['typescript', 'import', 'unicorn', 'oxc', 'react', 'jsx-a11y', 'vitest'],
  categories: { correctness: 'error', suspicious: 'error' },
  options: { typeAware: true, denyWarnings: true, reportUnusedDisableDirectives: 'error' },
  ignorePatterns: ['out', 'dist', 'test/lint/fixtures', 'test-results', 'playwright-report'],
  rules: {
    // `== null` is the one comparison that means both of nothing.
    eqeqeq: ['error', 'always', { null: 'ignore' }],
    'no-eval': 'error',
    'no-misleading-character-class': ['error', { allowEscape: true }],
    'no-new-func': 'error',
    'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    'import/no-cycle': ['error', { ignoreTypes: false }],
    'react/exhaustive-deps': 'error',
    'react/no-unstable-nested-components': ['error', { allowAsProps: true }],
    'react/rules-of-hooks': 'error',
    'typescript/ban-ts-comment': 'error',
    'typescript/consistent-type-imports': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    'unicorn/filename-case': ['error', { case: 'kebabCase' }],
    'unicorn/prefer-node-protocol': 'error',
    'vitest/expect-expect': ['error', { assertFunctionNames: ['expect', 'expect*', 'fc.assert'] }],
    'vitest/valid-expect': ['error', { maxArgs: 2 }],
    ...off,
  },
  overrides: [
    {
      files: ['**/src/**'],
      rules: {
        'import/no-default-export': 'error',
        // A computed import would pass by the layer rules unseen.
        'import/no-dynamic-require': ['error', { esmodule: true }],
        'react/no-danger': 'error',
        'no-restricted-properties': ['error', ...htmlSinks],
      },
    },
    ...layerOverrides,
  ],
})
