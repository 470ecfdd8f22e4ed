/** Parts of a host that an end-to-end test needs: one window, and the receiver's URL. */
import type { Browser, BrowserContextOptions, Page } from '@playwright/test'
import type { Server } from './server.ts'

export interface HostOptions {
  readonly dataFolder: string
  readonly browser: Browser
  /** The window's look: system theme, size, reduced motion. */
  readonly context: Pick<
    BrowserContextOptions,
    'colorScheme' | 'viewport' | 'reducedMotion' | 'permissions'
  >
  readonly server: Server
}

export interface RunningHost {
  readonly page: Page
  /** `https://127.0.0.1:PORT`. */
  readonly receiver: string
  readonly caFile: string
  /** Quits cleanly and closes the window. The data folder stays. */
  close(): Promise<void>
}

/**
 * Starts the built application on a data folder. Each host's file exports one of these as
 * `launchHost`.
 */
export type LaunchHost = (options: HostOptions) => Promise<RunningHost>
