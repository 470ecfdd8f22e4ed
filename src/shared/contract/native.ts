/**
 * Commands that only a desktop host has. Electron implements this table; the loopback host rejects each entry with `UNSUPPORTED`.
 * The interface checks capabilities, never the platform.
 */
import { z } from 'zod'

export const nativeCommands = {
  /** Shows the data folder or the local CA certificate in the system's file manager. */
  'native.showInFolder': { input: z.object({ what: z.enum(['data', 'ca']) }), output: z.object({}) },
  /** Quits the app, for a window without a menu that could: its core couldn't open. */
  'native.quit': { input: z.object({}), output: z.object({}) },
} as const

type NativeCommands = typeof nativeCommands
export type NativeCommandName = keyof NativeCommands
export type NativeInputOf<K extends NativeCommandName> = z.output<NativeCommands[K]['input']>
export type NativeOutputOf<K extends NativeCommandName> = z.output<NativeCommands[K]['output']>

/** What the current host can do beyond the contract; check these, not the platform. */
export interface Capabilities {
  /** The host can show files in the system's file manager. */
  readonly showInFolder: boolean
  /** The window's frame reserves space at the top left for the system's own buttons (macOS). */
  readonly insetTitleBar: boolean
}
