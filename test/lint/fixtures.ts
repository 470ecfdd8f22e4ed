/**
 * Files that the lint rules are tested on: by path, with their text. A line that must fail is
 * marked with the code and the message that the linter must report: `expect CODE: words`. All other
 * lines must pass.
 */

type Files = Readonly<Record<string, readonly string[]>>

const marked = (code: string, words: string, lines: readonly string[]) =>
  lines.map((line) => `${line} // expect ${code}: ${words}`)
const notImported = (words: string, lines: readonly string[]) =>
  marked('eslint(no-restricted-imports)', words, lines)

const forms = (from: string) => [
  `import { value } from '${from}'`,
  `import type { Value } from '${from}'`,
  `export { value as again } from '${from}'`,
  `export * from '${from}'`,
  `export const later = import('${from}')`,
]
const used = 'export const values: Value[] = [value]'

const layers: Readonly<Record<string, readonly string[]>> = {
  shared: [],
  core: ['shared'],
  main: ['core', 'shared'],
  preload: ['shared'],
  loopback: ['core', 'shared'],
  cli: ['core', 'loopback', 'shared'],
  library: ['core', 'shared'],
  renderer: ['shared'],
}

function layerFixtures(layer: string, allowed: readonly string[]): Files {
  const others = Object.keys(layers).filter((other) => other !== layer)
  const forbidden = others.filter((other) => !allowed.includes(other))
  const sentence = `The layer ${layer} may import ${allowed.length === 0 ? 'no other layer' : `only ${allowed.join(', ')}`}.`
  const exportOf = (other: string) => `export { value as ${other} } from '../${other}/index.ts'`
  const mayElectron = layer === 'main' || layer === 'preload'
  const electron = [...forms('electron'), "export { shell } from 'electron/main'"]
  return {
    [`src/${layer}/layers.ts`]: [
      ...allowed.map(exportOf),
      ...notImported(sentence, [
        ...forbidden.map(exportOf),
        ...forms(`../${forbidden[0] ?? ''}/index.ts`),
        `export const elsewhere = import('../../src/${forbidden[0] ?? ''}/index.ts')`,
      ]),
      used,
    ],
    [`src/${layer}/electron.ts`]: [
      ...(mayElectron ? electron : notImported('Only main and preload import electron.', electron)),
      used,
    ],
  }
}

const socketMessage =
  'Only core/receiver, core/sandbox, core/outgoing/wire, core/service-api, core/control, core/tunnels, loopback open sockets.'
const sockets = [
  ...['net', 'tls', 'https', 'http2', 'dgram'].map((name) => `node:${name}`),
  ...['undici', 'ws', 'fastify'],
].map((from, index) => `export * as module${index} from '${from}'`)
const httpTypes = "import type { Server } from 'node:http'"
const httpServer = "export { createServer } from 'node:http'"
const server = 'export type Servers = Server[]'

const openFixture = [
  ...sockets,
  ...forms('node:https'),
  used,
  httpTypes,
  server,
  ...notImported('Take it from core/base/node-http.ts', [httpServer]),
]
const closedFixture = [
  ...notImported(socketMessage, [
    ...sockets,
    ...forms('node:https'),
    httpTypes,
    httpServer,
    "export * as module9 from '../core/base/node-http.ts'",
  ]),
  used,
  server,
]
const socketGlobals = [
  "export const answer = fetch('https://127.0.0.1/')",
  "export const socket = new WebSocket('wss://127.0.0.1/')",
  "export const source = new EventSource('https://127.0.0.1/')",
  'export const request = new XMLHttpRequest()',
]

/** Returns a copy of the file for each of the folders. */
const inEach = (folders: readonly string[], name: string, lines: readonly string[]): Files =>
  Object.fromEntries(folders.map((folder) => [`src/${folder}/${name}`, lines]))

const wire = (folder: string) =>
  notImported(`core/${folder} sends only what admit() of core/outgoing admitted.`, [
    "export * from '../outgoing/wire/sender.ts'",
  ])

/**
 * Returns a file of the feature `settings`, which may import only `tour`, so many folders below the
 * features.
 */
function featureFixture(depth: number): readonly string[] {
  const features = '../'.repeat(depth)
  return [
    `export { button } from '${features}../ui/button.ts'`,
    `export { inner } from '${features}tour/index.ts'`,
    `export { own } from '${'../'.repeat(depth - 1) || './'}more/own.ts'`,
    ...notImported(
      'A feature may import only the features listed in oxlint.config.ts, through their index.ts.',
      [`export { flow } from '${features}flows/index.ts'`, ...forms(`${features}tour/inner.ts`)],
    ),
    used,
  ]
}

/** Files with at most one mistake each. */
const single: Readonly<Record<string, string>> = {
  'core/base/system-clock.ts': 'export const now = () => Date.now()',
  'core/lifecycle/time.ts': `
export const now = Date.now() // expect eslint(no-restricted-properties): Take the time and random values from Deps.
export const tick = performance.now() // expect eslint(no-restricted-properties): Take the time and random values from Deps.
export const chance = Math.random() // expect eslint(no-restricted-properties): Take the time and random values from Deps.
export const name = crypto.randomUUID() // expect eslint(no-restricted-properties): Take the time and random values from Deps.`,
  'core/lifecycle/PascalName.ts': 'export const one = 1 // expect unicorn(filename-case)',
  'core/lifecycle/any.ts': `
export function parse(text: string): any { // expect typescript(no-explicit-any)
  return JSON.parse(text)
}`,
  'core/lifecycle/beside.test.ts': `
import { request } from 'node:https'
import { value } from '../../loopback/index.ts' // expect eslint(no-restricted-imports): The layer core may import only shared.
import { app } from 'electron' // expect eslint(no-restricted-imports): Only main and preload import electron.
export const values = [request, value, app, Date.now()]`,
  'core/lifecycle/computed-import.ts': `
const name = 'store'
export const one = import(\`../\${name}/database.ts\`) // expect import(no-dynamic-require)`,
  'core/lifecycle/cycle-a.ts': `
import { b } from './cycle-b.ts' // expect import(no-cycle)
export const a = (): number => b()`,
  'core/lifecycle/cycle-b.ts': `
import { a } from './cycle-a.ts' // expect import(no-cycle)
export const b = (): number => a()`,
  'core/lifecycle/cycle-type-a.ts': `
import type { B } from './cycle-type-b.ts' // expect import(no-cycle)
export interface A { readonly b: B }`,
  'core/lifecycle/cycle-type-b.ts': `
import type { A } from './cycle-type-a.ts' // expect import(no-cycle)
export interface B { readonly a: A | null }`,
  'core/lifecycle/default-export.ts': 'export default 1 // expect import(no-default-export)',
  'core/lifecycle/import-types.ts': `
export type Named = import('./cycle-type-a.ts').A // expect typescript(consistent-type-imports)`,
  'core/lifecycle/promises.ts': `
async function work(): Promise<number> {
  return Promise.resolve(1)
}
export function start() {
  work() // expect typescript(no-floating-promises)
  void work()
}
export function filter(items: number[]) {
  return items.filter(async (item) => (await work()) === item) // expect typescript(no-misused-promises)
}`,
  'core/lifecycle/suppressed.ts': `
export const one: number = 1 // @ts-ignore // expect typescript(ban-ts-comment)`,
  'core/lifecycle/unions.ts': `
export function word(verdict: 'valid' | 'invalid' | 'unsigned'): string {
  switch (verdict) { // expect typescript(switch-exhaustiveness-check)
    case 'valid':
      return 'yes'
    case 'invalid':
      return 'no'
  }
  return ''
}`,
  'core/lifecycle/folders.ts': `
export { shared } from '../../shared/index.ts'
export { store } from '../store/database.ts' // expect eslint(no-restricted-imports): core/lifecycle may import no other folder of core.`,
  'core/forwarding/folders.ts': `
export { admitted } from '../outgoing/admission.ts'
export { store } from '../store/database.ts'
export { flow } from '../flows/index.ts' // expect eslint(no-restricted-imports): core/forwarding may import only base, hooks, outgoing, receiver, store of core.
export { liveRefusal } from '../hooks/live-guard.ts' // expect eslint(no-restricted-imports): Use admit() of core/outgoing to ask for consent to a send.`,
  'core/outgoing/admission.ts': "export { createSender } from './wire/sender.ts'",
  'core/outgoing/wire/upwards.ts': `
export { forward } from '../../forwarding/index.ts' // expect eslint(no-restricted-imports): core/outgoing/wire may import only base of core.
export { admitted } from '../admission.ts' // expect eslint(no-restricted-imports): core/outgoing/wire may import only base of core.
export { createSender } from './sender.ts'`,
  'core/tunnels/outgoing.ts': `
export { admitted } from '../outgoing/admission.ts' // expect eslint(no-restricted-imports): core/tunnels may import only base, outgoing/wire, receiver, store of core.`,
  'renderer/ui/hooks.tsx': `
import { useEffect, useState } from 'react'
export function Counter({ shown, count }: { shown: boolean; count: number }) {
  if (!shown) return null
  const [text, setText] = useState('') // expect react-hooks(rules-of-hooks)
  return <button onClick={() => setText(String(count))}>{text}</button>
}
export function Title({ count }: { count: number }) {
  useEffect(() => {
    document.title = String(count) // expect react-hooks(exhaustive-deps)
  }, [])
  return <p>{count}</p>
}`,
  'renderer/ui/html-sinks.tsx': `
export function Sink({ html }: { html: string }) {
  return <div dangerouslySetInnerHTML={{ __html: html }} /> // expect react(no-danger)
}
export function write(element: HTMLIFrameElement, html: string) {
  element.innerHTML = html // expect eslint(no-restricted-properties): Don't build HTML from text: captured content must never run.
  element.outerHTML = html // expect eslint(no-restricted-properties): Don't build HTML from text: captured content must never run.
  element.srcdoc = html // expect eslint(no-restricted-properties): Don't build HTML from text: captured content must never run.
  element.insertAdjacentHTML('afterend', html) // expect eslint(no-restricted-properties): Don't build HTML from text: captured content must never run.
  element.setHTMLUnsafe(html) // expect eslint(no-restricted-properties): Don't build HTML from text: captured content must never run.
  document.createRange().createContextualFragment(html) // expect eslint(no-restricted-properties): Don't build HTML from text: captured content must never run.
}`,
  'renderer/ui/picture.tsx': `
export function Picture() {
  return <img src="a.png" /> // expect jsx-a11y(alt-text)
}`,
  'renderer/ui/text-as-code.ts': `
const text = '1 + 1'
export const evaluated: unknown = eval(text) // expect eslint(no-eval)
export const made = new Function('a', text) // expect typescript(no-implied-eval) eslint(no-new-func)
export const timer = setTimeout('alert(1)', 10) // expect typescript(no-implied-eval)`,
  'renderer/ui-state/slices.ts': "export { slice } from '../features/hooks/hooks-slice.ts'",
  'renderer/app/feature.ts': "export { inner } from '../features/hooks/index.ts'",
  'renderer/features/flows/top.ts': `
export { inner } from '../forward/index.ts' // expect eslint(no-restricted-imports): A feature may import only the features listed in oxlint.config.ts, through their index.ts.`,
}

export const fixtures: Files = {
  ...Object.fromEntries(
    Object.entries(single).map(([path, text]) => [`src/${path}`, text.split('\n')]),
  ),
  ...Object.assign({}, ...Object.entries(layers).map((entry) => layerFixtures(...entry))),
  ...inEach(['shared', 'preload', 'renderer'], 'node-modules.ts', [
    ...notImported(
      "This folder also runs without Node, so it can't import node: modules.",
      forms('node:net'),
    ),
    used,
    "export { join } from 'path' // expect unicorn(prefer-node-protocol)",
  ]),
  ...inEach(
    ['cli', 'library', 'main', 'core', 'core/lifecycle', 'core/store'],
    'sockets.ts',
    closedFixture,
  ),
  ...inEach(
    [
      ...['receiver', 'sandbox', 'outgoing/wire', 'service-api', 'control', 'tunnels'].map(
        (folder) => `core/${folder}`,
      ),
      'loopback',
    ],
    'sockets.ts',
    openFixture,
  ),
  ...inEach(
    ['shared', 'cli', 'library', 'core/lifecycle', 'renderer/app'],
    'socket-globals.ts',
    marked('eslint(no-restricted-globals)', socketMessage, socketGlobals),
  ),
  ...inEach(['core/outgoing/wire', 'renderer/host'], 'socket-globals.ts', socketGlobals),
  'src/core/lifecycle/long-function.ts': [
    'export function long(): number[] { // expect eslint(max-lines-per-function)',
    '  const lines: number[] = []',
    ...Array.from({ length: 80 }, (_, line) => `  lines.push(${line})`),
    '  return lines',
    '}',
  ],
  'src/library/testing.ts': socketGlobals,
  ...inEach(['cli', 'main', 'loopback', 'core', 'core/lifecycle', 'core/receiver'], 'sqlite.ts', [
    ...notImported('Only core/store imports better-sqlite3.', forms('better-sqlite3')),
    used,
  ]),
  'src/core/store/sqlite.ts': [...forms('better-sqlite3'), used],
  ...Object.assign(
    {},
    ...['check', 'flows', 'hooks', 'receiver', 'sandbox', 'replaying'].map((folder) =>
      inEach([`core/${folder}`], 'around-admission.ts', wire(folder)),
    ),
  ),
  ...inEach(['core/service-api', 'core/tunnels'], 'on-the-wire.ts', [
    "export * from '../outgoing/wire/sender.ts'",
  ]),
  'src/renderer/features/settings/top.ts': featureFixture(1),
  'src/renderer/features/settings/parts/nested.ts': featureFixture(2),
  'src/renderer/features/settings/parts/deep/nested.tsx': featureFixture(3),
  ...inEach(
    ['renderer/app'],
    'feature-inside.ts',
    notImported('Import a feature of the renderer through its index.ts.', [
      "export { slice } from '../features/hooks/hooks-slice.ts'",
      ...forms('../features/hooks/inner.ts'),
    ]).concat(used),
  ),
  ...inEach(
    ['renderer/ui-state'],
    'feature-inside.ts',
    notImported('The store may import only the slices of a feature.', [
      "export { inner } from '../features/hooks/index.ts'",
      ...forms('../features/hooks/inner.ts'),
    ]).concat(used),
  ),
  ...inEach(
    ['renderer/connected', 'renderer/core-data', 'renderer/ui'],
    'feature-inside.ts',
    notImported("Shared folders of the renderer can't import features.", [
      "export { inner } from '../features/hooks/index.ts'",
      ...forms('../features/hooks/inner.ts'),
    ]).concat(used),
  ),
  ...inEach(
    ['renderer/core-data', 'renderer/ui'],
    'window-state.ts',
    notImported(
      "ui and core-data don't know the window's state. Put a component that reads it in connected.",
      ["export { Form } from '../connected/form.tsx'", ...forms('../ui-state/store.ts')],
    ).concat(used),
  ),
}
