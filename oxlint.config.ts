/**
 * The lint rules. `no-restricted-imports` enforces layers, sockets and native modules. Its lists
 * are built here from one table, because a later override replaces all options of a rule: each
 * folder's list must be complete. `test/lint/fixtures.ts` has lines for each rule that must fail.
 */
import { defineConfig, type OxlintOverride } from 'oxlint'

const layers = [
  'shared',
  'core',
  'main',
  'preload',
  'loopback',
  'cli',
  'library',
  'renderer',
] as const
type Layer = (typeof layers)[number]

/** The layers that each layer may import. */
export const mayImport: Record<Layer, readonly Layer[]> = {
  shared: [],
  core: ['shared'],
  main: ['core', 'shared'],
  preload: ['shared'],
  loopback: ['core', 'shared'],
  cli: ['core', 'loopback', 'shared'],
  library: ['core', 'shared'],
  renderer: ['shared'],
}

/**
 * The folders of core that each folder may import: all may import `base`, and `app` composes all.
 * `outgoing/wire` counts as its own folder: sends that a user starts go through `admit()`, so the
 * code that starts them can't import the wire. Two folders send without a user and import it
 * directly: the client of the service's API for its calls, and a tunnel to test its URL.
 */
export const coreMayImport: Readonly<Record<string, readonly string[]>> = {
  app: [
    'base',
    'check',
    'commands',
    'control',
    'flows',
    'forwarding',
    'handlers',
    'hooks',
    'import-export',
    'outgoing',
    'outgoing/wire',
    'receiver',
    'replaying',
    'retention',
    'sandbox',
    'service-api',
    'settings',
    'setup',
    'sharing',
    'shrinking',
    'signature',
    'store',
    'tunnels',
  ],
  base: [],
  check: ['base', 'hooks', 'outgoing', 'reports', 'sandbox', 'signature', 'store'],
  commands: [
    'base',
    'check',
    'flows',
    'forwarding',
    'handlers',
    'hooks',
    'import-export',
    'lifecycle',
    'replaying',
    'retention',
    'sandbox',
    'settings',
    'setup',
    'sharing',
    'shrinking',
    'signature',
    'store',
    'tunnels',
  ],
  control: ['base', 'store'],
  flows: ['base', 'hooks', 'outgoing', 'receiver', 'reports', 'sandbox', 'signature', 'store'],
  forwarding: ['base', 'hooks', 'outgoing', 'receiver', 'store'],
  handlers: ['base', 'hooks', 'outgoing', 'store'],
  hooks: ['base', 'service-api', 'signature', 'store'],
  'import-export': ['base', 'hooks', 'store'],
  lifecycle: [],
  outgoing: ['base', 'hooks', 'outgoing/wire', 'signature', 'store'],
  'outgoing/wire': ['base'],
  receiver: ['base', 'hooks', 'outgoing', 'signature', 'store'],
  replaying: ['base', 'hooks', 'lifecycle', 'outgoing', 'reports', 'signature', 'store'],
  reports: [],
  retention: ['base', 'store'],
  sandbox: ['base', 'outgoing', 'receiver', 'signature'],
  'service-api': ['base', 'outgoing/wire', 'store'],
  settings: ['base', 'store'],
  setup: [
    'base',
    'flows',
    'forwarding',
    'handlers',
    'hooks',
    'outgoing',
    'replaying',
    'retention',
    'service-api',
    'settings',
    'signature',
    'store',
  ],
  sharing: ['base', 'hooks', 'import-export', 'signature', 'store'],
  shrinking: ['base', 'hooks', 'outgoing'],
  signature: ['base'],
  store: ['base', 'lifecycle', 'signature'],
  tunnels: ['base', 'outgoing/wire', 'receiver', 'store'],
  types: [],
}

const electronLayers: readonly Layer[] = ['main', 'preload']
/**
 * Layers that run without Node: the renderer in a browser, the preload in a sandbox, shared in all
 * of them.
 */
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
  readonly allowTypeImports?: boolean
  readonly message: string
}

const socketModules: Pattern = {
  regex:
    '^((node:)?(net|tls|http|https|http2|dgram)|undici|ws|fastify|@fastify/.*)(/.*)?$|/base/node-http\\.ts$',
  message: `Only ${socketFolders.join(', ')} open sockets.`,
}
/** For the folders that open sockets. */
const httpModule: Pattern = {
  regex: '^(node:)?http$',
  allowTypeImports: true,
  message: 'Take it from core/base/node-http.ts, which starts without undici.',
}
const databaseModule: Pattern = {
  regex: '^better-sqlite3(/.*)?$',
  message: 'Only core/store imports better-sqlite3.',
}
const electronModule: Pattern = {
  regex: '^electron(/.*)?$',
  message: 'Only main and preload import electron.',
}
const nodeModules: Pattern = {
  regex: '^node:',
  message: "This folder also runs without Node, so it can't import node: modules.",
}

function layerPattern(layer: Layer): Pattern {
  const forbidden = layers.filter((other) => other !== layer && !mayImport[layer].includes(other))
  const allowed =
    mayImport[layer].length === 0 ? 'no other layer' : `only ${mayImport[layer].join(', ')}`
  return {
    regex: `^(\\.\\./)+(src/)?(${forbidden.join('|')})/`,
    message: `The layer ${layer} may import ${allowed}.`,
  }
}

const WIRE = 'outgoing/wire'

/**
 * Returns the patterns for a folder of core. The linter compares relative paths as text: a path to
 * another folder begins with `../` and the folder's name.
 */
function coreFolderPatterns(folder: string): Pattern[] {
  const allowed = coreMayImport[folder] ?? []
  const may = (other: string) => other === folder || allowed.includes(other)
  const closed = Object.keys(coreMayImport).filter(
    (other) => !may(other) && other !== 'outgoing' && other !== WIRE,
  )
  const message = `core/${folder} may import ${allowed.length === 0 ? 'no other folder' : `only ${allowed.join(', ')}`} of core.`
  const patterns: Pattern[] = [{ regex: `^(\\.\\./)+(${closed.join('|')})/`, message }]
  // `outgoing` contains `wire`, so each needs its own pattern when only the other may be imported.
  if (!may('outgoing')) patterns.push({ regex: '^(\\.\\./)+outgoing/[^/]+$', message })
  if (folder === WIRE) patterns.push({ regex: '^\\.\\./[^./]', message })
  if (!may(WIRE))
    patterns.push({
      regex: '^(\\.\\./)+outgoing/wire/',
      message: `core/${folder} sends only what admit() of core/outgoing admitted.`,
    })
  if (may('outgoing') && folder !== 'outgoing')
    patterns.push({
      regex: '^(\\.\\./)+hooks/live-guard\\.ts$',
      message: 'Use admit() of core/outgoing to ask for consent to a send.',
    })
  return patterns
}

type Rules = NonNullable<OxlintOverride['rules']>

/** Returns the import rule of a layer; `except` lifts limits for one of its folders. */
function importRule(
  layer: Layer,
  except: readonly Pattern[] = [],
  more: readonly Pattern[] = [],
): Rules {
  const patterns = [
    layerPattern(layer),
    ...(electronLayers.includes(layer) ? [] : [electronModule]),
    databaseModule,
    // One message is enough if no node: module is allowed at all.
    ...(layersWithoutNode.includes(layer)
      ? [nodeModules]
      : [except.includes(socketModules) ? httpModule : socketModules]),
    ...more,
  ].filter((pattern) => !except.includes(pattern))
  return { 'no-restricted-imports': ['error', { patterns }] }
}

/** Globals of the runtime open sockets without an import. */
const socketGlobals: Rules = {
  'no-restricted-globals': [
    'error',
    ...['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest'].map((name) => ({
      name,
      message: socketModules.message,
    })),
  ],
}

const htmlSinks = [
  'innerHTML',
  'outerHTML',
  'insertAdjacentHTML',
  'setHTMLUnsafe',
  'createContextualFragment',
  'srcdoc',
].map((property) => ({
  property,
  message: "Don't build HTML from text: captured content must never run.",
}))

const ambient = [
  ['Date', 'now'],
  ['performance', 'now'],
  ['Math', 'random'],
  ['crypto', 'randomUUID'],
].map(([object, property]) => ({
  object,
  property,
  message: 'Take the time and random values from Deps.',
}))

/**
 * The features of the window that may import another, through its `index.ts`. Code that more of
 * them need belongs in `ui`, `state` or `shared`; `app` composes the features.
 */
export const featureMayImport: Readonly<Record<string, readonly string[]>> = {
  detail: ['body', 'list', 'replay'],
  flows: ['body', 'detail', 'handlers'],
  list: ['replay', 'tour'],
  replay: ['body', 'handlers'],
  settings: ['tour'],
}
const featureMessage =
  'A feature may import only the features listed in oxlint.config.ts, through their index.ts.'

/**
 * Returns the import rule of a feature at a depth. The linter compares relative paths as text: one
 * `..` from the feature's own folder, two from a folder in it.
 */
function featureOverride(
  feature: string,
  others: readonly string[],
  depth: number,
): OxlintOverride {
  const up = '../'.repeat(depth)
  const group = [`${up}[a-z]*/**`, ...others.map((other) => `!${up}${other}/index.ts`)]
  return {
    files: [`**/src/renderer/features/${feature}/${'*/'.repeat(depth - 1)}*.{ts,tsx}`],
    rules: importRule('renderer', [], [{ group, message: featureMessage }]),
  }
}

const featureOverrides = [['*', []] as const, ...Object.entries(featureMayImport)].flatMap(
  ([feature, others]) => [1, 2, 3].map((depth) => featureOverride(feature, others, depth)),
)

const insideFeatures: Pattern = {
  group: ['**/features/*/**', '!**/features/*/index.ts'],
  message: 'Import a feature of the renderer through its index.ts.',
}
const allFeatures: Pattern = {
  group: ['**/features/**'],
  message: "Shared folders of the renderer can't import features.",
}
const windowState: Pattern = {
  group: ['**/ui-state/**', '**/connected/**'],
  message:
    "ui and core-data don't know the window's state. Put a component that reads it in connected.",
}
const allFeaturesButSlices: Pattern = {
  group: ['**/features/**', '!**/features/*/*-slice.ts'],
  message: 'The store may import only the slices of a feature.',
}

const layerOverrides: OxlintOverride[] = [
  ...layers
    .filter((layer) => layer !== 'renderer')
    .map((layer): OxlintOverride => ({
      files: [`**/src/${layer}/**`],
      rules: { ...importRule(layer), ...socketGlobals },
    })),
  {
    files: ['**/src/renderer/**'],
    rules: { ...importRule('renderer', [], [insideFeatures]), ...socketGlobals },
  },
  ...featureOverrides,
  ...Object.keys(coreMayImport).map((folder): OxlintOverride => {
    const except = [
      ...(socketFolders.includes(`core/${folder}`) ? [socketModules] : []),
      ...(databaseFolders.includes(`core/${folder}`) ? [databaseModule] : []),
    ]
    return {
      files: [`**/src/core/${folder}/**`],
      rules: importRule('core', except, coreFolderPatterns(folder)),
    }
  }),
  {
    files: socketFolders.map((folder) => `**/src/${folder}/**`),
    rules: { 'no-restricted-globals': 'off' },
  },
  { files: ['**/src/loopback/**'], rules: importRule('loopback', [socketModules]) },
  // The store is composed of the slices of all features.
  {
    files: ['**/src/renderer/ui-state/**'],
    rules: importRule('renderer', [], [allFeaturesButSlices]),
  },
  {
    files: ['**/src/renderer/{connected,host}/**'],
    rules: importRule('renderer', [], [allFeatures]),
  },
  {
    files: ['**/src/renderer/{core-data,ui}/**'],
    rules: importRule('renderer', [], [allFeatures, windowState]),
  },
  // Sends deliveries to the handler under test, from the process of the test.
  { files: ['**/src/library/testing.ts'], rules: { 'no-restricted-globals': 'off' } },
  // Chooses how the renderer reaches the core.
  { files: ['**/src/renderer/host/**'], rules: { 'no-restricted-globals': 'off' } },
  {
    files: ['**/src/core/**'],
    rules: { 'no-restricted-properties': ['error', ...htmlSinks, ...ambient] },
  },
  // The implementation of Deps that every host uses.
  {
    files: ['**/src/core/base/system-clock.ts'],
    rules: { 'no-restricted-properties': ['error', ...htmlSinks] },
  },
  // A test is next to its source and keeps to its layer, but may read files and call servers.
  ...layers.map((layer): OxlintOverride => ({
    files: [`**/src/${layer}/**/*.test.{ts,tsx}`],
    rules: {
      'no-restricted-imports': ['error', { patterns: [layerPattern(layer), electronModule] }],
      'no-restricted-globals': 'off',
      'no-restricted-properties': 'off',
      'no-shadow': 'off',
      'max-lines-per-function': 'off',
      // The nearest tsconfig excludes tests, so the linter doesn't know of noUncheckedIndexedAccess
      // here.
      'typescript/no-unnecessary-type-assertion': 'off',
    },
  })),
]

/** Rules of the categories below that are turned off, with reasons. */
const off: Rules = {
  // Control characters are part of our domain.
  'no-control-regex': 'off',
  // Doesn't see that a callback changes the variable.
  'no-unmodified-loop-condition': 'off',
  'import/no-named-as-default-member': 'off',
  // `_name` marks an unused name.
  'no-underscore-dangle': 'off',
  // Styles and polyfills are imported for their side effects.
  'import/no-unassigned-import': 'off',
  // Long lists are grids of rows without a table. The grid handles their keys, and axe checks the
  // result.
  'jsx-a11y/click-events-have-key-events': 'off',
  'jsx-a11y/control-has-associated-label': 'off',
  'jsx-a11y/no-static-element-interactions': 'off',
  'jsx-a11y/prefer-tag-over-role': 'off',
  // A scrollable area must be focusable, or the keyboard can't scroll it.
  'jsx-a11y/no-noninteractive-tabindex': 'off',
  // Mistakes the routes of fastify for those of Express.
  'oxc/no-async-endpoint-handlers': 'off',
  // Duplicates `exhaustive-deps` and `rules-of-hooks`.
  'react/exhaustive-effect-dependencies': 'off',
  'react/hooks': 'off',
  'react/react-in-jsx-scope': 'off',
  // Meant for the React compiler, which isn't used here.
  'react/incompatible-library': 'off',
  'react/refs': 'off',
  // The TypeScript compiler does this, and knows when a switch is exhaustive.
  'typescript/consistent-return': 'off',
  'typescript/no-unsafe-type-assertion': 'off',
  // Methods that callers pass as callbacks are arrow properties; the rule can't tell in interfaces.
  'typescript/unbound-method': 'off',
  'unicorn/consistent-function-scoping': 'off',
  'unicorn/no-array-reverse': 'off',
  'unicorn/no-array-sort': 'off',
  'unicorn/no-new-array': 'off',
  // Also flags spreads that only group fields or arguments.
  'unicorn/no-useless-spread': 'off',
  'unicorn/prefer-string-starts-ends-with': 'off',
  // Meant for windows; the postMessage of workers has no origin.
  'unicorn/require-post-message-target-origin': 'off',
  'vitest/no-conditional-expect': 'off',
  // Doesn't know the property tests of fast-check.
  'vitest/no-standalone-expect': 'off',
  'vitest/require-mock-type-parameters': 'off',
  'vitest/require-to-throw-message': 'off',
}

export default defineConfig({
  plugins: ['typescript', 'import', 'unicorn', 'oxc', 'react', 'jsx-a11y', 'vitest'],
  categories: { correctness: 'error', suspicious: 'error' },
  options: { typeAware: true, denyWarnings: true, reportUnusedDisableDirectives: 'error' },
  ignorePatterns: ['out', 'dist', 'test-results', 'playwright-report'],
  rules: {
    // `== null` is the one comparison that means null or undefined.
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
    'typescript/switch-exhaustiveness-check': [
      'error',
      { considerDefaultExhaustiveForUnions: true },
    ],
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
        // A computed import would bypass the layer rules.
        'import/no-dynamic-require': ['error', { esmodule: true }],
        'react/no-danger': 'error',
        'no-restricted-properties': ['error', ...htmlSinks],
        'max-lines-per-function': ['error', { max: 80 }],
      },
    },
    ...layerOverrides,
  ],
})
