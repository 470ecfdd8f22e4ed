/**
 * Which `webPreferences` a window may have here: the stand-in can't show what the others do, so it refuses them. Every key of
 * Electron is listed, so that a new one doesn't compile until somebody has judged it.
 */
import type { WebPreferences } from 'electron'

/** Accepted values; the first is Electron's default, which a missing key means. */
type Rule<T> =
  readonly [electronsDefault: T | undefined, ...others: T[]] | 'modeled' | { readonly must: T }

const rules: {
  readonly [K in keyof Required<WebPreferences>]: Rule<Exclude<WebPreferences[K], undefined>>
} = {
  preload: 'modeled',
  // Written out, whatever a version of Electron means by a missing key.
  sandbox: { must: true },
  contextIsolation: { must: true },
  nodeIntegration: { must: false },
  webSecurity: { must: true },
  // Electron's own spelling checker downloads dictionaries from another host.
  spellcheck: { must: false },
  nodeIntegrationInWorker: [false],
  nodeIntegrationInSubFrames: [false],
  webviewTag: [false],
  allowRunningInsecureContent: [false],
  experimentalFeatures: [false],
  enableBlinkFeatures: [undefined],
  disableBlinkFeatures: [undefined],
  navigateOnDragDrop: [false],
  plugins: [false],
  enableDeprecatedPaste: [false],
  enableWebSQL: [true, false],
  offscreen: [false],
  // Another session would have no permission handlers and no protocol.
  partition: [undefined],
  session: [undefined],
  additionalArguments: [undefined],
  javascript: [true],
  images: [true],
  zoomFactor: [1],
  zoomMode: ['default'],
  transparent: [true],
  enablePreferredSizeMode: [false],
  // Looks and comfort: harmless, and not shown.
  accessibleTitle: [undefined, 'Countersign'],
  autoplayPolicy: [
    'no-user-gesture-required',
    'user-gesture-required',
    'document-user-activation-required',
  ],
  backgroundThrottling: [true, false],
  defaultEncoding: [undefined, 'UTF-8'],
  defaultFontFamily: [undefined],
  defaultFontSize: [16],
  defaultMonospaceFontSize: [13],
  devTools: [true, false],
  disableDialogs: [false, true],
  disableHtmlFullscreenWindowResize: [false, true],
  disableWakeLocks: [false, true],
  focusOnNavigation: [true, false],
  imageAnimationPolicy: ['animate', 'animateOnce', 'noAnimation'],
  minimumFontSize: [0],
  safeDialogs: [false, true],
  safeDialogsMessage: [undefined],
  scrollBounce: [false, true],
  textAreasAreResizable: [true, false],
  v8CacheOptions: [undefined, 'none', 'code', 'bypassHeatCheck', 'bypassHeatCheckAndEagerCompile'],
  webgl: [true, false],
}

function accepts(key: string, value: unknown): boolean {
  const rule = Object.hasOwn(rules, key) ? (rules as Record<string, Rule<unknown>>)[key] : undefined
  if (rule === undefined) return false
  if (rule === 'modeled') return value !== undefined
  if ('must' in rule) return value === rule.must
  return value === undefined || rule.includes(value)
}

/** The preload of a window. Throws for a preference that is unsafe, or that the stand-in doesn't model. */
export function safePreload(wanted: WebPreferences = {}): string {
  const keys = new Set([...Object.keys(rules), ...Object.keys(wanted)])
  const refused = [...keys].filter((key) => !accepts(key, (wanted as Record<string, unknown>)[key]))
  const shown = refused.map((key) => `${key}: ${String((wanted as Record<string, unknown>)[key])}`)
  if (refused.length > 0)
    throw new Error(`The stand-in for electron refuses webPreferences { ${shown.join(', ')} }.`)
  return String(wanted.preload)
}
