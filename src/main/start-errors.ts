/** Errors of a start that the page shows: Chromium's sandbox is off, and any failure. */
import { AppError } from '../shared/contract/errors.ts'
import { PRODUCT_NAME } from '../shared/product.ts'
import { listed } from '../shared/text/english.ts'

/** Settings of Chromium and Electron that let a page's process do whatever the user may do. */
const UNSAFE_SWITCHES = ['no-sandbox', 'single-process', 'disable-seccomp-filter-sandbox'] as const
const UNSAFE_VARIABLE = 'ELECTRON_DISABLE_SANDBOX'

/** Returns an error if the page, which shows untrusted captures, would run without a sandbox. */
export function findSandboxProblem(
  hasSwitch: (name: string) => boolean,
  env: Readonly<Record<string, string | undefined>>,
): AppError | null {
  const unsafeSettings = UNSAFE_SWITCHES.filter(hasSwitch).map((name) => `--${name}`)
  const variable = env[UNSAFE_VARIABLE]
  if (variable !== undefined && variable !== '' && variable !== '0')
    unsafeSettings.push(UNSAFE_VARIABLE)
  if (unsafeSettings.length === 0) return null
  return new AppError(
    'START_FAILED',
    `${PRODUCT_NAME} was started with ${listed(unsafeSettings, 'and')}, which turns off the sandbox that captured data is shown in. ` +
      'Start it without. If your Linux system then stops it, see "Linux" in desktop.md (Help → Documentation), or run "countersign serve" and use the app in a browser.',
  )
}

interface StartContext {
  readonly version: string
  readonly dataFolder: string
  readonly process: Pick<NodeJS.Process, 'platform' | 'versions'>
  reportBug(error: unknown): string
}

export function describeStartFailure(error: unknown, context: StartContext): AppError {
  const { version, dataFolder } = context
  const { platform, versions } = context.process
  const isExpected = error instanceof AppError
  const message = isExpected
    ? error.message
    : `${error instanceof Error ? error.message : String(error)}. Quit and start ${PRODUCT_NAME} again. If it fails again, report it with the details.`
  const details = [
    `${PRODUCT_NAME} ${version} couldn't start.`,
    isExpected ? `${error.code}: ${error.message}` : `Reference ${context.reportBug(error)}`,
    ...(error instanceof Error && !isExpected ? [error.stack ?? error.message] : []),
    `Data folder: ${dataFolder}`,
    `System: ${platform}, Electron ${versions['electron'] ?? 'unknown'}, Chromium ${versions['chrome'] ?? 'unknown'}, Node ${versions['node'] ?? 'unknown'}`,
  ].join('\n')
  return new AppError('START_FAILED', message, { details: { text: details }, cause: error })
}
