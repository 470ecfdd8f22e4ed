/** Compares a setup with the data folder. */
import { hash } from 'node:crypto'
import { basename } from 'node:path'
import type { Delivery } from '../../shared/model/delivery.ts'
import { isSandboxEnvironment } from '../../shared/model/environment.ts'
import type { FileProblem } from '../../shared/model/file-problem.ts'
import {
  isChangedEntry,
  type Setup,
  type SetupEntry,
  type SetupPlan,
  type SetupSource,
} from '../../shared/model/setup.ts'
import { builtInFlows } from '../flows/built-in/index.ts'
import type { OwnFlow } from '../flows/own-flows.ts'
import { readFlow } from '../flows/read-flow.ts'
import { describeFolder, type FolderState } from './describe-setup.ts'
import { invalidSetup, readSetup } from './read-setup.ts'
import { setupItems, type SetupItem } from './setup-items.ts'
import { isOutside, type NeededSecret, neededSecrets } from './setup-secrets.ts'

export interface ParsedSource extends Pick<SetupSource, 'file' | 'secrets'> {
  readonly setup: Setup
  readonly flows: readonly OwnFlow[]
  /** Bodies of the named requests, in their order. */
  readonly bodies: readonly RequestBody[]
}

export interface RequestBody extends Pick<Delivery, 'bodySize' | 'bodySha256'> {
  readonly body: Uint8Array
}

/** A secret against the stored one; `kept` if only that is known, `missing` if none is. */
export type SecretState = 'same' | 'differs' | 'kept' | 'missing'

/** Parses a source. Throws `INVALID_SETUP` or `INVALID_FLOW`. */
export function parseSource({ file, text, files, bodies, secrets }: SetupSource): ParsedSource {
  const name = basename(file)
  const { setup, problem } = readSetup(text, name)
  const problems: FileProblem[] = []
  const flows = setup.flows.map((path, index) => {
    const { name: flow } = readFlow(files[path] ?? '', path)
    if (builtInFlows().some((builtIn) => builtIn.flow.name === flow))
      problems.push(
        problem(['flows', index], `A built-in flow has the name "${flow}".`, 'Rename yours.'),
      )
    return { name: flow, path, text: files[path] ?? '' }
  })
  const repeated = flows.findIndex(({ name: flow }, index) =>
    flows.slice(0, index).some((other) => other.name === flow),
  )
  if (repeated !== -1)
    problems.push(
      problem(['flows', repeated], 'Another file has a flow with this name.', 'Rename one.'),
    )
  if (problems.length > 0) throw invalidSetup(name, problems)
  const requestBodies = setup.requests.map(({ file: path }): RequestBody => {
    const body = Buffer.from(bodies[path] ?? '', 'base64')
    return { body, bodySize: body.length, bodySha256: hash('sha256', body, 'hex') }
  })
  return { file, secrets, setup, flows, bodies: requestBodies }
}

const shown = (value: unknown): string | null =>
  value === undefined || value === null || value === ''
    ? null
    : typeof value === 'string'
      ? value
      : JSON.stringify(value)

/** Returns a long value as its size. */
const shortened = (text: string | null): string | null =>
  text !== null && text.length > 200 ? `${text.length.toLocaleString('en')} characters` : text

const isSandbox = ({ kind, name }: SetupItem): boolean =>
  kind === 'environment' && isSandboxEnvironment(name)

function changesOf(wanted: SetupItem, present: SetupItem): SetupEntry['changes'] {
  const names = new Set([
    ...Object.keys(wanted.fields),
    ...(isSandbox(wanted) ? [] : Object.keys(present.fields)),
  ])
  return [...names].flatMap((field) => {
    const [from, to] = [shown(present.fields[field]), shown(wanted.fields[field])]
    return from === to ? [] : [{ field, from: shortened(from), to: shortened(to) }]
  })
}

/** Whether the item is always there, and a file may say nothing about it. */
const isNamedOnly = (item: SetupItem): boolean =>
  item.kind === 'setting' || item.kind === 'current' || isSandbox(item)

const keyOf = ({ kind, key }: SetupItem) => `${kind} ${key}`
const byKey = (items: readonly SetupItem[]) => new Map(items.map((item) => [keyOf(item), item]))

/** Returns each item with its state, without secrets. */
export function compareItems({ setup, ...files }: ParsedSource, folder: FolderState): SetupEntry[] {
  const present = setupItems(describeFolder(folder, null).setup, {
    flows: folder.flows,
    bodies: folder.requests,
  })
  const wanted = setupItems(setup, files)
  const [presentByKey, wantedByKey] = [byKey(present), byKey(wanted)]
  const entries = wanted.map((item): SetupEntry => {
    const existing = presentByKey.get(keyOf(item))
    if (existing === undefined && !isNamedOnly(item))
      return { kind: item.kind, name: item.name, state: 'add', changes: [] }
    const changes = changesOf(item, existing ?? { ...item, fields: {} })
    const state = changes.length > 0 ? 'change' : 'unchanged'
    return { kind: item.kind, name: item.name, state, changes }
  })
  const extra = present.filter((item) => !wantedByKey.has(keyOf(item)) && !isNamedOnly(item))
  return [
    ...entries,
    ...extra.map(({ kind, name }): SetupEntry => ({ kind, name, state: 'extra', changes: [] })),
  ]
}

/** Adds what happens to the secrets. */
export function setupPlanOf(
  source: ParsedSource,
  items: readonly SetupEntry[],
  secrets: ReadonlyMap<string, SecretState>,
): SetupPlan {
  const { setup, file } = source
  const needed = neededSecrets(setup)
  const owned = Map.groupBy(needed, ({ owner }) => owner)
  const isChanged = ({ place }: NeededSecret) =>
    ['differs', 'missing'].includes(secrets.get(place) ?? '')
  const entries = items.map((entry): SetupEntry => {
    const changed = owned.get(`${entry.kind} ${entry.name}`)?.filter(isChanged) ?? []
    if (entry.state === 'add' || changed.length === 0) return entry
    const fields = changed.map(({ path }) => path.slice(2).join('.'))
    return {
      ...entry,
      state: 'change',
      changes: [...entry.changes, ...fields.map((field) => ({ field, from: null, to: null }))],
    }
  })
  return {
    file,
    entries,
    differences: entries.filter(isChangedEntry).length,
    missing: needed
      .filter(({ place }) => secrets.get(place) === 'missing')
      .map((one) => ({
        place: one.place,
        what: one.what,
        reference: one.reference?.env ?? one.reference?.file ?? null,
        isOutside: isOutside(one),
      })),
  }
}
