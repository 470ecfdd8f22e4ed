/** Plans, applies, undoes and writes the setup of a data folder, which a file describes. */
import { basename } from 'node:path'
import { AppError } from '../../shared/contract/errors.ts'
import type { SetupPlan, SetupSource } from '../../shared/model/setup.ts'
import type { Forwards } from '../forwarding/forwards.ts'
import { targetHost } from '../outgoing/targets.ts'
import type { Consents } from '../settings/consents.ts'
import type { SetupRows } from '../store/setup-rows.ts'
import { ChangedRows, type RowDeps } from './changed-rows.ts'
import { describeFolder, type FolderState } from './describe-setup.ts'
import { loadSetup } from './load-setup.ts'
import { readSetup } from './read-setup.ts'
import { replacedRows } from './replaced-rows.ts'
import { compareItems, parseSource, setupPlanOf, type ParsedSource } from './setup-plan.ts'
import {
  applyRequests,
  type AppliedRequest,
  readRequests,
  type SetupRequestsDeps,
  undoRequests,
} from './setup-requests.ts'
import { resolveSecrets } from './stored-secrets.ts'
import { setupText } from './write-setup.ts'

interface SetupsDeps extends RowDeps, Pick<SetupRequestsDeps, 'composed' | 'retention'> {
  readonly forwards: Pick<Forwards, 'exclusively' | 'reload'>
  readonly consents: Pick<Consents, 'forget'>
  /** File that names this data folder; null if it isn't known. */
  readonly setupFile: string | null
}

/** Setting with the path of the file that was last applied or written. */
const SETUP_PATH = 'setup.file'
/** Maximum number of changes that can be undone. */
const MAX_UNDOABLE = 20

interface Undoable {
  readonly rows: SetupRows
  readonly requests: readonly AppliedRequest[]
}

export class Setups {
  readonly #deps: SetupsDeps
  readonly #undoable = new Map<string, Undoable>()

  constructor(deps: SetupsDeps) {
    this.#deps = deps
  }

  /** Compares a file with the data folder; null is the file that describes it. */
  async plan(source: SetupSource | null) {
    const file = source?.file ?? (await this.#file())
    if (file === null) return { file, plan: null, problem: null }
    try {
      const parsed = parseSource(source ?? this.#load(file, false))
      return { file, plan: (await this.#compare(parsed)).plan, problem: null }
    } catch (error) {
      if (source !== null || !(error instanceof AppError)) throw error
      return { file, plan: null, problem: error.message }
    }
  }

  /**
   * Rejects with the first rule that is broken, and changes nothing then.
   * @param confirmLive - throws without consent to change these live environments
   */
  async apply(
    given: SetupSource | null,
    secrets: Readonly<Record<string, string>>,
    confirmLive: (environments: readonly string[]) => void,
  ): Promise<{ plan: SetupPlan; undo: string }> {
    const file = given?.file ?? (await this.#file())
    if (file === null)
      throw new AppError('NOT_FOUND', 'No setup file describes this data folder. Name one.')
    const source = given ?? this.#load(file, true)
    const parsed = parseSource({ ...source, secrets: { ...source.secrets, ...secrets } })
    const { plan, next, undoable } = await this.#exclusively(async () => {
      const { plan: compared, values } = await this.#compare(parsed)
      refuseMissing(compared)
      const rows = new ChangedRows(this.#deps, parsed, compared, values)
      confirmLive(rows.liveEnvironments())
      const nextRows = await rows.next()
      const beforeRows = await replacedRows(this.#deps, nextRows)
      await this.#put(nextRows)
      const isChanged = (name: string) => rows.differs('named request', name)
      // Signed with the hooks that were just stored.
      const requests = await applyRequests(this.#deps, parsed, isChanged).catch(
        async (error: unknown) => {
          await this.#put(beforeRows)
          throw error
        },
      )
      return { plan: compared, next: nextRows, undoable: { rows: beforeRows, requests } }
    })
    await this.#deps.hooks.registerAtSandbox(new Set(next.hooks.map(({ id }) => id)))
    await this.#deps.store.write('writeSetting', { name: SETUP_PATH, value: file })
    const undo = this.#deps.ids.next()
    this.#undoable.set(undo, undoable)
    for (const oldest of [...this.#undoable.keys()].slice(0, -MAX_UNDOABLE))
      this.#undoable.delete(oldest)
    return { plan, undo }
  }

  /** Restores what an `apply` replaced. Rejects if an added hook is already in use. */
  async undo(undo: string): Promise<void> {
    const before = this.#undoable.get(undo)
    if (before === undefined)
      throw new AppError('NOT_FOUND', 'This change can no longer be undone.')
    await this.#exclusively(async () => {
      const { rows, requests } = before
      const handlers = rows.handlers.map(({ name }) => name)
      for (const id of rows.removed.hooks) {
        const deliveries = requests.filter(({ hookId }) => hookId === id).length
        await this.#deps.hooks.confirmUnused(id, { handlers, deliveries })
      }
      await undoRequests(this.#deps, requests)
      await this.#put(rows)
    })
    this.#undoable.delete(undo)
  }

  /** Describes the data folder; `text` is the present file, whose references stay. */
  async describe(file: string, text: string | null) {
    const previous = text === null ? null : readSetup(text, basename(file)).setup
    const state = await this.#state()
    const { setup, variables } = describeFolder(state, previous)
    await this.#deps.store.write('writeSetting', { name: SETUP_PATH, value: file })
    return {
      text: setupText(setup, previous),
      files: state.flows.map(({ path, text: flow }) => ({ path, text: flow })),
      bodies: await readRequests(this.#deps, state.requests, setup),
      variables: [...variables],
    }
  }

  async #file(): Promise<string | null> {
    const { setupFile, store } = this.#deps
    return setupFile ?? ((await store.read('setting', SETUP_PATH)) || null)
  }

  #load(file: string, readsOutside: boolean): SetupSource {
    return loadSetup(file, { env: process.env, readsOutside })
  }

  async #state(): Promise<FolderState> {
    const { environments, hooks, savedHandlers, settings, store, views, ownFlows } = this.#deps
    return {
      settings: settings.current(),
      environments: await environments.list({ includeSecrets: false }),
      hooks: hooks.list(),
      handlers: savedHandlers.list(),
      targets: await store.read('forwardTargets', null),
      views: views.list(),
      flows: ownFlows.list(),
      requests: await store.read('namedRequests', null),
    }
  }

  async #compare(parsed: ParsedSource) {
    const { states, values } = await resolveSecrets(this.#deps, parsed)
    const items = compareItems(parsed, await this.#state())
    return { plan: setupPlanOf(parsed, items, states), values }
  }

  /** Runs work while nothing of a setup changes. */
  #exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    const { environments, hooks, savedHandlers, forwards, settings, views } = this.#deps
    return [environments, hooks, savedHandlers, forwards, settings, views].reduceRight(
      (inner, { exclusively }) =>
        () =>
          exclusively(inner),
      work,
    )()
  }

  /** Stores rows in one transaction; then everything reads its own again. */
  async #put(rows: SetupRows): Promise<void> {
    await this.#forgetConsents(rows)
    const { environments, forwards, hooks, ownFlows, savedHandlers, settings, store, views } =
      this.#deps
    await store.write('putSetup', rows)
    // A hook needs its environment: removed hooks go first, new ones come last.
    await hooks.reload(new Set(rows.removed.hooks))
    await environments.reload()
    await hooks.reload(new Set(rows.hooks.map(({ id }) => id)))
    await savedHandlers.reload()
    await forwards.reload()
    await views.reload()
    await ownFlows.reload()
    await settings.reload()
  }

  /** Consent belongs to the server that the user saw, not to the name. */
  async #forgetConsents({ environments, handlers, removed }: SetupRows): Promise<void> {
    const { consents, savedHandlers } = this.#deps
    const next = new Map(environments.map(({ name, baseUrl }) => [name, baseUrl]))
    for (const { name, baseUrl } of this.#deps.environments.all())
      if (removed.environments.includes(name) || (next.get(name) ?? baseUrl) !== baseUrl)
        await consents.forget({ about: 'environment', name })
    for (const { id, url } of handlers) {
      const before = savedHandlers.rows().find((row) => row.id === id)
      if (before !== undefined && targetHost(before.url) !== targetHost(url))
        await consents.forget({ about: 'host', name: targetHost(before.url) })
    }
  }
}

function refuseMissing({ missing }: SetupPlan): void {
  if (missing.length === 0) return
  const list = missing.map(({ place, what, reference }) =>
    reference === null ? `${place}: ${what}` : `${place}: ${reference}`,
  )
  throw new AppError('INVALID_INPUT', `Secrets are missing. Set or enter ${list.join('; ')}.`, {
    details: missing,
  })
}
