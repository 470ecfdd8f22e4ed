/** The parts of `electron` that use the operating system, which only record calls. */
import { EventEmitter } from 'node:events'
import type { CrashReporter, Dialog, Screen, Shell } from 'electron'
import { requireNotReady, requireReady } from './lifecycle.ts'
import { shellDialog } from './shell-parts.ts'
import { report } from './state.ts'
import { strict } from './strict.ts'

export const shell = strict('shell', {
  openExternal(url) {
    report({ kind: 'openExternal', url })
    return Promise.resolve()
  },
  openPath(path) {
    report({ kind: 'openPath', path })
    return Promise.resolve('')
  },
  showItemInFolder(path) {
    report({ kind: 'showItemInFolder', path })
  },
} satisfies Partial<Shell>)

/** Crash reporter, which starts nothing: Chromium's own crash dumps are off in tests. */
export const crashReporter = strict('crashReporter', {
  start({ uploadToServer } = {}) {
    requireNotReady('crashReporter.start must be called before the app is ready')
    if (uploadToServer !== false) throw new Error('Crash dumps would be sent away.')
  },
} satisfies Partial<CrashReporter>)

export const dialog = strict('dialog', {
  ...shellDialog,
  showErrorBox(title, content) {
    report({ kind: 'errorBox', title, content })
  },
} satisfies Partial<Dialog>)

type Display = ReturnType<Screen['getPrimaryDisplay']>
const area = { x: 0, y: 0, width: 1_920, height: 1_080 }
const display = strict('display', { workArea: area } satisfies Partial<Display>)

const displays = {
  getPrimaryDisplay: () => display,
  getAllDisplays: () => [display],
} satisfies { [K in 'getPrimaryDisplay']: () => Pick<Display, 'workArea'> } & {
  [K in 'getAllDisplays']: () => Pick<Display, 'workArea'>[]
}

export const screen = strict('screen', Object.assign(new EventEmitter(), displays), () => {
  requireReady("The 'screen' module can't be used before the app 'ready' event")
})

export const nativeTheme = strict(
  'nativeTheme',
  Object.assign(new EventEmitter(), { themeSource: 'system' }),
)
