/**
 * Commands and events that only a desktop host has. Electron implements both tables; the loopback host rejects the commands with
 * `UNSUPPORTED` and never sends the events. The interface checks capabilities, never the platform.
 */
import { z } from 'zod'
import { FILE_KINDS } from '../model/file-kind.ts'

/** Maximum bytes of an opened file per message. */
export const OPENED_PIECE = 786_432

const handle = z.uuid()

/** A file that the user opened through the system or chose in its dialog. The page reads it by its handle and never sees its path. */
const openedFileSchema = z.object({
  handle,
  kind: z.enum(FILE_KINDS),
  name: z.string(),
  /** In bytes. */
  size: z.number(),
  /** Time of the last change, in milliseconds. */
  changedAt: z.number(),
})
export type OpenedFile = z.infer<typeof openedFileSchema>

const version = z.string()

/** The progress of an update. All texts are for the user. */
const updateStateSchema = z.discriminatedUnion('phase', [
  /** This copy can't check for updates. */
  z.object({ phase: z.literal('off'), reason: z.string() }),
  z.object({ phase: z.literal('idle') }),
  z.object({ phase: z.literal('checking') }),
  z.object({ phase: z.literal('current') }),
  /** `page`: where to get it; null if the app can install it. */
  z.object({ phase: z.literal('available'), version, page: z.string().nullable() }),
  z.object({ phase: z.literal('downloading'), version, percent: z.number() }),
  z.object({ phase: z.literal('ready'), version }),
  z.object({ phase: z.literal('restarting'), version }),
  z.object({ phase: z.literal('failed'), title: z.string(), message: z.string() }),
])
export type UpdateState = z.infer<typeof updateStateSchema>

export const nativeCommands = {
  /** Shows the data folder or the local CA certificate in the system's file manager. */
  'native.showInFolder': {
    input: z.object({ what: z.enum(['data', 'ca']) }),
    output: z.object({}),
  },
  /** Quits the app, for a window without a menu that could: its core couldn't open. */
  'native.quit': { input: z.object({}), output: z.object({}) },
  /** Asks for a file with the system's dialog; null if the user cancels, or if the dialog is open already. */
  'native.chooseFile': {
    input: z.object({ kind: z.enum(FILE_KINDS) }),
    output: z.object({ file: openedFileSchema.nullable() }),
  },
  /** The size and time of change of an opened file now. */
  'native.lookAtFile': {
    input: z.object({ handle }),
    output: openedFileSchema.pick({ size: true, changedAt: true }),
  },
  /** A piece of an opened file in Base64, up to `OPENED_PIECE` bytes; empty at its end. */
  'native.readFile': {
    input: z.object({ handle, offset: z.number().int().min(0) }),
    output: z.object({ base64: z.string() }),
  },
  /**
   * Checks for an update, downloads it, or restarts to install it. An action that doesn't apply changes nothing; `look` never does.
   * Returns the state at once; `native.updateChanged` reports what follows.
   */
  'native.update': {
    input: z.object({ action: z.enum(['look', 'check', 'download', 'restart']) }),
    output: updateStateSchema,
  },
} as const

/** Entries of menus, the tray and notifications that the page carries out. */
export const pageActionSchema = z.enum([
  'import',
  'export',
  'diagnostics',
  'updates',
  'palette',
  'shortcuts',
  'filter',
  'go-settings',
  'go-deliveries',
  'go-compare',
  'go-hooks',
  'go-forward',
  'go-flows',
  'go-handlers',
  'go-sandbox',
  'open',
  'replay',
  'replay-compose',
  'compare',
  'copy-id',
  'pin',
  'note',
  'delete',
])
export type PageAction = z.infer<typeof pageActionSchema>

export const nativeEvents = {
  /** The user chose an entry that the page carries out. */
  'native.action': z.object({ action: pageActionSchema }),
  /** The user asked to see this delivery, such as by clicking a notification or a link. It may not exist. */
  'native.showDelivery': z.object({ deliveryId: z.string() }),
  /** The user opened a file through the system. */
  'native.openFile': openedFileSchema,
  /** Something failed outside of the page; both texts are for the user. */
  'native.problem': z.object({ title: z.string(), message: z.string() }),
  'native.updateChanged': updateStateSchema,
} as const

type NativeCommands = typeof nativeCommands
export type NativeCommandName = keyof NativeCommands
export type NativeInputOf<K extends NativeCommandName> = z.output<NativeCommands[K]['input']>
export type NativeOutputOf<K extends NativeCommandName> = z.output<NativeCommands[K]['output']>
type NativeEvents = typeof nativeEvents
export type NativeEventName = keyof NativeEvents
export type NativePayloadOf<K extends NativeEventName> = z.output<NativeEvents[K]>

/** What the current host can do beyond the contract; check these, not the platform. */
export interface Capabilities {
  readonly showInFolder: boolean
  /** The window's frame reserves space at the top left for the system's own buttons (macOS). */
  readonly insetTitleBar: boolean
  /** The host has menus, notifications and a tray, with settings for them. */
  readonly desktop: boolean
}

/** For a browser. */
export const NO_CAPABILITIES: Capabilities = {
  showInFolder: false,
  insetTitleBar: false,
  desktop: false,
}
