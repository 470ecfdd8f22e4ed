/** `session`: permission handlers. Each permission is set in Chromium to the result of the app's check handler. */
import type { Session } from 'electron'
import type { CdpConnection } from './cdp.ts'
import { toChromium } from './addresses.ts'
import { strict } from './strict.ts'

type CheckHandler = NonNullable<Parameters<Session['setPermissionCheckHandler']>[0]>
type Permission = Parameters<CheckHandler>[1]

let check: CheckHandler | null = null
let request: Parameters<Session['setPermissionRequestHandler']>[0] = null

export const defaultSession = strict('session.defaultSession', {
  setPermissionRequestHandler(handler) {
    request = handler
  },
  setPermissionCheckHandler(handler) {
    check = handler
  },
  setDevicePermissionHandler() {},
} satisfies Pick<Session, 'setPermissionRequestHandler' | 'setPermissionCheckHandler' | 'setDevicePermissionHandler'>)

export const session = strict('session', { defaultSession })

/** Electron's permission names, with Chromium's descriptors. */
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

/** Sets every permission of the page at `url` as the app decides. Without both handlers, Electron would grant them all. */
export async function applyPermissions(cdp: CdpConnection, url: string): Promise<void> {
  const origin = new URL(toChromium(url)).origin
  const handler = check
  for (const [permission, descriptor] of descriptors) {
    const granted =
      handler === null ||
      request === null ||
      handler(null, permission, url, { isMainFrame: true, requestingUrl: url, securityOrigin: url })
    await cdp.browser.send('Browser.setPermission', {
      permission: descriptor,
      setting: granted ? 'granted' : 'denied',
      origin,
    })
  }
}
