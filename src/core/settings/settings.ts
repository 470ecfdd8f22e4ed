/** A data folder's settings and saved views: read once, stored, and announced when they change. */
import { z } from 'zod'
import {
  DEFAULT_SETTINGS,
  portIn,
  type PortName,
  type PortSettings,
  settingsSchema,
  type Settings,
  type SettingsChange,
} from '../../shared/model/settings.ts'
import { viewSchema, type View } from '../../shared/model/retention.ts'
import { createMutex } from '../base/async.ts'
import type { Log, Ids } from '../base/deps.ts'
import type { EventHub } from '../base/event-hub.ts'
import { readJsonSetting } from '../store/settings.ts'
import type { Store } from '../store/store.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { parseQuery } from '../../shared/query/parse.ts'

interface SettingsDeps {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly log: Log
  readonly hub: Pick<EventHub, 'emit'>
  /** Rejects if a new port isn't free. */
  checkPort(port: number): Promise<void>
}

export type SettingsService = Awaited<ReturnType<typeof openSettings>>

/** Name of the row that holds them all. */
const SETTINGS = 'settings'
export const PUBLIC_URL = 'receiver.public-url'

export async function openSettings({ store, log, hub, checkPort }: SettingsDeps) {
  const stored = await readJsonSetting(store, SETTINGS, settingsSchema, (reason) =>
    log.warn("The stored settings can't be read. Using the defaults.", { reason }),
  )
  let settings = stored ?? DEFAULT_SETTINGS
  const exclusive = createMutex()
  return {
    current: (): Settings => settings,
    /** Changes the given settings. Rejects with `STORE_UNAVAILABLE` if they can't be stored; then nothing has changed. */
    change: (change: SettingsChange): Promise<Settings> =>
      // Each change builds on the previous one.
      exclusive(async () => {
        const next = settingsSchema.parse({
          ...settings,
          ...change,
          retention: { ...settings.retention, ...change.retention },
          desktop: { ...settings.desktop, ...change.desktop },
          ports: { ...settings.ports, ...change.ports },
          window: { ...settings.window, ...change.window },
        })
        await checkPorts(settings.ports, next.ports, checkPort)
        await store.write('writeSetting', { name: SETTINGS, value: JSON.stringify(next) })
        settings = next
        hub.emit('settings.changed', next)
        return next
      }),
  }
}

const portLabels: Readonly<Record<PortName, string>> = {
  receiver: 'The receiver',
  receiverHttp: 'Plain HTTP',
  sandbox: 'The sandbox',
  ui: 'The app',
}

/** Rejects if another setting or program uses a changed port. */
async function checkPorts(
  before: PortSettings,
  next: PortSettings,
  checkPort: SettingsDeps['checkPort'],
): Promise<void> {
  const names = Object.keys(portLabels) as PortName[]
  for (const name of names) {
    const port = portIn(next, name)
    if (port === null || next[name] === null || port === portIn(before, name)) continue
    const other = names.find((one) => one !== name && portIn(next, one) === port)
    if (other !== undefined)
      throw new AppError(
        'INVALID_INPUT',
        `${portLabels[other]} already uses port ${port}. Choose another port.`,
      )
    await checkPort(port)
  }
}

interface ViewsDeps extends Omit<SettingsDeps, 'checkPort'> {
  readonly ids: Ids
}

export type Views = Awaited<ReturnType<typeof openViews>>

/** Name of the row that holds them all. */
const VIEWS = 'views'
/** A list can't show more than this. */
const MOST_VIEWS = 200

/** A data folder's saved views: read once, stored, and announced when they change. */
export async function openViews({ store, ids, log, hub }: ViewsDeps) {
  const stored = await readJsonSetting(store, VIEWS, z.array(viewSchema), (reason) =>
    log.warn("The saved views can't be read, so the list is empty until one is saved.", { reason }),
  )
  let views: readonly View[] = stored ?? []
  const exclusive = createMutex()

  /** Each change builds on the previous one. */
  function change<Result>(
    make: () => { readonly next: readonly View[]; readonly result: Result },
  ): Promise<Result> {
    return exclusive(async () => {
      const { next, result } = make()
      await store.write('writeSetting', { name: VIEWS, value: JSON.stringify(next) })
      views = next
      hub.emit('views.changed', { views: [...views] })
      return result
    })
  }

  const mustExist = (id: string) => {
    if (!views.some((view) => view.id === id))
      throw new AppError(
        'NOT_FOUND',
        'This view no longer exists. Save the search again to keep it.',
      )
  }

  return {
    list: (): readonly View[] => views,
    /** Creates a view, or changes an existing one by id. Rejects with `INVALID_QUERY`, `INVALID_INPUT` or `NOT_FOUND`. */
    save: ({
      id,
      name,
      query,
    }: Omit<View, 'id'> & { readonly id?: string | undefined }): Promise<View> =>
      change(() => {
        parseQuery(query)
        if (id !== undefined) mustExist(id)
        const namesake = views.find(
          (view) => view.id !== id && view.name.toLowerCase() === name.toLowerCase(),
        )
        if (namesake !== undefined)
          throw new AppError(
            'INVALID_INPUT',
            `A view named "${namesake.name}" already exists. Choose another name.`,
          )
        if (id === undefined && views.length >= MOST_VIEWS)
          throw new AppError(
            'INVALID_INPUT',
            `You have ${MOST_VIEWS} views, the maximum. Remove one first.`,
          )
        const result: View = { id: id ?? ids.next(), name, query }
        return {
          next:
            id === undefined
              ? [...views, result]
              : views.map((view) => (view.id === id ? result : view)),
          result,
        }
      }),
    remove: (id: string) =>
      change(() => {
        mustExist(id)
        return { next: views.filter((view) => view.id !== id), result: undefined }
      }),
  }
}

// The ports to listen on. A free port that was picked once is tried again, so that registered URLs stay valid.

export type Ports = ReturnType<typeof createPorts>

export function createPorts(
  store: Pick<Store, 'read' | 'write'>,
  settings: Pick<SettingsService, 'current'>,
) {
  const settingOf = (name: PortName) => `port.${name === 'receiverHttp' ? 'receiver-http' : name}`
  return {
    /** The port to try: the requested one, for 0 the remembered one (0 if there is none), else the setting. Null: off. */
    async choose(name: PortName, requested: number | undefined): Promise<number | null> {
      if (requested === undefined) return portIn(settings.current().ports, name)
      if (requested !== 0) return requested
      return Number((await store.read('setting', settingOf(name))) ?? 0)
    },
    /** Remembers the port that a request for 0 received. */
    async remember(name: PortName, port: number): Promise<void> {
      await store.write('writeSetting', { name: settingOf(name), value: String(port) })
    },
  }
}
