/**
 * `session`: permission handlers. The check handler decides what Chromium reports; the request
 * handler decides each request of a page (`bridge.ts`).
 */
import { EventEmitter } from 'node:events'
import http, { type RequestOptions } from 'node:http'
import type { DownloadItem, SaveDialogOptions, Session, WebContents } from 'electron'
import type { CdpConnection } from './cdp.ts'
import { toChromium } from './addresses.ts'
import { requireReady } from './lifecycle.ts'
import { answerTest, report } from './state.ts'
import { strict } from './strict.ts'

type CheckHandler = NonNullable<Parameters<Session['setPermissionCheckHandler']>[0]>
type RequestHandler = NonNullable<Parameters<Session['setPermissionRequestHandler']>[0]>
type Permission = Parameters<CheckHandler>[1]

let check: CheckHandler | null = null
let request: RequestHandler | null = null

const events = new EventEmitter()

const defaultSession = strict(
  'session.defaultSession',
  Object.assign(events, {
    setPermissionRequestHandler(handler) {
      request = handler
    },
    setPermissionCheckHandler(handler) {
      check = handler
    },
    setDevicePermissionHandler() {},
  } satisfies Partial<Session>),
)

/** Saves a file; resolves with the options of the save dialog, or null if the app refuses. */
answerTest('download', ({ url, name }: { readonly url: string; readonly name: string }) => {
  let prevented = false
  let options: SaveDialogOptions = {}
  const members = {
    getURL: () => url,
    getFilename: () => name,
    setSaveDialogOptions(given) {
      options = given
    },
  } satisfies Partial<DownloadItem>
  const item = strict('downloadItem', Object.assign(new EventEmitter(), members))
  events.emit('will-download', { preventDefault: () => (prevented = true) }, item)
  return prevented ? null : options
})

const ownSession = strict('a session of fromPartition', {})

/** Requests of the main process, which are Node's. */
export const net = strict('net', { request: (options: RequestOptions) => http.request(options) })

export const session = strict('session', {
  get defaultSession() {
    requireReady('Session can only be received when app is ready')
    return defaultSession
  },
  fromPartition(partition: string) {
    requireReady('Session can only be received when app is ready')
    if (partition === '') throw new Error('The stand-in for electron has one default session.')
    return ownSession
  },
})

const descriptors: readonly (readonly [Permission, Readonly<Record<string, unknown>>])[] = [
  ['clipboard-read', { name: 'clipboard-read' }],
  ['clipboard-sanitized-write', { name: 'clipboard-write' }],
  ['geolocation', { name: 'geolocation' }],
  ['idle-detection', { name: 'idle-detection' }],
  ['local-fonts', { name: 'local-fonts' }],
  ['media', { name: 'camera' }],
  ['media', { name: 'microphone' }],
  ['midi', { name: 'midi' }],
  ['midiSysex', { name: 'midi', sysex: true }],
  ['notifications', { name: 'notifications' }],
  ['persistent-storage', { name: 'persistent-storage' }],
  ['screen-wake-lock', { name: 'screen-wake-lock' }],
  ['sensors', { name: 'accelerometer' }],
  ['storage-access', { name: 'storage-access' }],
  ['window-management', { name: 'window-management' }],
]

async function setPermission(
  cdp: CdpConnection,
  origin: string,
  permission: Permission,
  isGranted: boolean,
): Promise<void> {
  const setting = isGranted ? 'granted' : 'denied'
  for (const [name, descriptor] of descriptors)
    if (name === permission)
      await cdp.browser.send('Browser.setPermission', { permission: descriptor, setting, origin })
}

/** Returns the check handler's decision. Without a handler, Electron grants everything. */
function checked(url: string, permission: Permission): boolean {
  return (
    check === null ||
    check(null, permission, originOf(url), {
      isMainFrame: true,
      requestingUrl: url,
      securityOrigin: url,
    })
  )
}

/** Returns the origin of the app's URL with a trailing slash, as Electron passes it. */
const originOf = (url: string) => /^[a-z]+:\/\/[^/]*/.exec(url)?.[0].concat('/') ?? ''

export async function applyPermissions(cdp: CdpConnection, url: string): Promise<void> {
  const { origin } = new URL(toChromium(url))
  for (const [permission] of descriptors)
    await setPermission(cdp, origin, permission, checked(url, permission))
}

export interface PermissionRequest {
  readonly permission: Permission
  readonly url: string
  readonly isMainFrame: boolean
  readonly mediaTypes?: readonly ('video' | 'audio')[]
}

/** Passes a request to the app, and sets its decision in Chromium for the following call. */
export async function requestPermission(
  cdp: CdpConnection,
  contents: object,
  asked: PermissionRequest,
): Promise<boolean> {
  const { permission, url, isMainFrame, mediaTypes = [] } = asked
  const handler = request
  const granted = await new Promise<boolean>((resolve) => {
    const details = {
      isMainFrame,
      requestingUrl: url,
      securityOrigin: url,
      mediaTypes: [...mediaTypes],
    }
    // Electron without a handler grants every request.
    if (handler === null) resolve(true)
    else handler(contents as WebContents, permission, resolve, details)
  })
  report({ kind: 'permission', permission, granted })
  await setPermission(cdp, new URL(toChromium(url)).origin, permission, granted)
  return granted
}

export async function endPermissionRequest(
  cdp: CdpConnection,
  { permission, url }: PermissionRequest,
): Promise<void> {
  await setPermission(cdp, new URL(toChromium(url)).origin, permission, checked(url, permission))
}
