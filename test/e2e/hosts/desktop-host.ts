/** What tests of the desktop app need besides the window: its URLs, links opened in the browser, and windows. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { HostOptions, RunningHost } from './host.ts'

export interface DesktopHost extends RunningHost {
  /** The app's root as the page knows it: `app://countersign/`, or the stand-in's URL for it. */
  readonly home: string
  /** Process of the app. */
  readonly pid: number
  /** URLs opened in the system's browser so far. */
  openedOutside(): Promise<string[]>
  /** Number of windows. */
  windowCount(): Promise<number>
  /** Quits the app; resolves with the exit code. */
  quit(): Promise<number | null>
}

/** Starts the built desktop app on a data folder, on free ports. */
export type LaunchDesktop = (options: Omit<HostOptions, 'server'>) => Promise<DesktopHost>

/** Arguments of the app for a test. */
export function desktopArguments(dataFolder: string): string[] {
  return ['--data', dataFolder, '--receiver-port', '0', '--sandbox-port', '0']
}

interface InstanceFile {
  readonly pid: number
  readonly control: object | null
  readonly receiver: string
  readonly ca: string
}

/** The receiver's URL, from `instance.json`. */
export async function readInstanceFile(dataFolder: string): Promise<InstanceFile> {
  const file = join(dataFolder, 'instance.json')
  for (let attempt = 0; attempt < 1_200; attempt++) {
    const text = await readFile(file, 'utf8').catch(() => 'null')
    const instance = JSON.parse(text) as InstanceFile | null
    if (instance !== null && instance.control !== null) return instance
    await delay(50)
  }
  throw new Error(`${file} did not come to name a running instance.`)
}

/** Applies a test's theme, size and motion setting to the window, as a browser context has from the start. */
export async function applyLook({ page }: Pick<RunningHost, 'page'>, look: HostOptions['context']): Promise<void> {
  const { colorScheme, reducedMotion, viewport } = look
  await page.emulateMedia({
    ...(colorScheme === undefined ? {} : { colorScheme }),
    ...(reducedMotion === undefined ? {} : { reducedMotion }),
  })
  if (viewport !== undefined && viewport !== null) await page.setViewportSize(viewport)
}
