/**
 * Compile-time checks: each event of the stand-in must exist in Electron with the same arguments.
 */
import type {
  App,
  BrowserWindow,
  WebContents,
  WebContentsWillFrameNavigateEventParams,
} from 'electron'

interface Preventable {
  preventDefault(): void
}
type Navigation = Pick<
  WebContentsWillFrameNavigateEventParams,
  'url' | 'isMainFrame' | 'isSameDocument' | 'frame'
> &
  Preventable

export function eventsOfElectron(app: App, window: BrowserWindow, contents: WebContents): void {
  app.on('before-quit', (_event: Preventable) => {})
  app.on('will-quit', (_event: Preventable) => {})
  app.on('quit', (_event: object, _exitCode: number) => {})
  app.on('ready', (_event: object, _info: object) => {})
  app.on(
    'second-instance',
    (_event: object, _argv: string[], _folder: string, _data: unknown) => {},
  )
  app.on('window-all-closed', () => {})
  app.on('web-contents-created', (_event: object, _contents: WebContents) => {})
  app.on('browser-window-created', (_event: object, _window: BrowserWindow) => {})
  window.on('close', (_event: Preventable) => {})
  window.on('closed', () => {})
  window.on('move', () => {})
  window.on('resize', () => {})
  window.on('enter-full-screen', () => {})
  window.on('leave-full-screen', () => {})
  window.on('ready-to-show', () => {})
  for (const event of [
    'show',
    'hide',
    'focus',
    'blur',
    'minimize',
    'restore',
    'maximize',
    'unmaximize',
  ] as const)
    window.on(event as 'show', () => {})
  contents.on('unresponsive', () => {})
  contents.on('responsive', () => {})
  window.on('unresponsive', () => {})
  window.on('responsive', () => {})
  contents.on('will-frame-navigate', (_details: Navigation) => {})
  contents.on('will-navigate', (_details: Navigation, _url: string) => {})
  contents.on('will-redirect', (_details: Navigation, _url: string) => {})
  contents.on(
    'will-attach-webview',
    (_event: Preventable, _preferences: object, _parameters: Record<string, string>) => {},
  )
  contents.on(
    'did-fail-load',
    (_event: object, _code: number, _text: string, _url: string, _isMainFrame: boolean) => {},
  )
  contents.on('did-navigate', (_event: object, _url: string, _status: number, _text: string) => {})
  contents.on('did-finish-load', () => {})
  contents.on('input-event', (_event: object, _input: { type: string }) => {})
  contents.on(
    'render-process-gone',
    (_event: object, _details: { reason: string; exitCode: number }) => {},
  )
  contents.on('destroyed', () => {})
}
