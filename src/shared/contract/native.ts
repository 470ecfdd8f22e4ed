/**
 * What only a desktop host can do. Electron implements this table; the loopback host refuses each entry by name
 * (`UNSUPPORTED`). The interface asks for capabilities, never for a platform.
 */
import { z } from 'zod'

export const nativeCommands = {
  /** Shows the data folder or the certificate of the local authority in the system's file manager. */
  'native.showInFolder': { input: z.object({ what: z.enum(['data', 'ca']) }), output: z.object({}) },
} as const

type NativeCommands = typeof nativeCommands
export type NativeCommandName = keyof NativeCommands
export type NativeInputOf<K extends NativeCommandName> = z.output<NativeCommands[K]['input']>
export type NativeOutputOf<K extends NativeCommandName> = z.output<NativeCommands[K]['output']>

/** What the present host can do beyond the contract; read these instead of testing for a platform. */
export interface Capabilities {
  /** Files can be shown in the system's file manager. */
  readonly showInFolder: boolean
  /** The window's frame leaves room for the system's own buttons at the top left (macOS). */
  readonly insetTitleBar: boolean
}
