/**
 * Commands and events of desktop hosts; others reject the commands with `UNSUPPORTED`. The
 * interface checks capabilities, never the platform.
 */
import { z } from 'zod'
import { FILE_KINDS } from '../model/file-kind.ts'

/** Bytes of an opened file per message. */
export const FILE_CHUNK_BYTES = 786_432

const handle = z.uuid()

/** File opened by the user; the page never sees its path. */
const openedFileSchema = z.object({
  handle,
  kind: z.enum(FILE_KINDS),
  name: z.string(),
  size: z.number(),
  /** Milliseconds since the epoch. */
  changedAt: z.number(),
})
export type OpenedFile = z.infer<typeof openedFileSchema>

const version = z.string()

/** Progress of an update; all texts are for the user. */
const updateStateSchema = z.discriminatedUnion('phase', [
  z.object({ phase: z.literal('off'), reason: z.string() }),
  z.object({ phase: z.literal('idle') }),
  z.object({ phase: z.literal('checking') }),
  z.object({ phase: z.literal('current') }),
  /** `page`: where to download it, if the app can't install it. */
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
  /** Quits the app, for a window without a menu. */
  'native.quit': { input: z.object({}), output: z.object({}) },
  /** Opens the system's file dialog; null if cancelled. */
  'native.chooseFile': {
    input: z.object({ kind: z.enum(FILE_KINDS) }),
    output: z.object({ file: openedFileSchema.nullable() }),
  },
  'native.lookAtFile': {
    input: z.object({ handle }),
    output: openedFileSchema.pick({ size: true, changedAt: true }),
  },
  /** Returns up to `FILE_CHUNK_BYTES` bytes in Base64; empty at the end. */
  'native.readFile': {
    input: z.object({ handle, offset: z.number().int().min(0) }),
    output: z.object({ base64: z.string() }),
  },
  /** Ignores an action that doesn't apply; `native.updateChanged` reports progress. */
  'native.update': {
    input: z.object({ action: z.enum(['look', 'check', 'download', 'restart']) }),
    output: updateStateSchema,
  },
} as const

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
  'native.action': z.object({ action: pageActionSchema }),
  'native.showDelivery': z.object({ deliveryId: z.string() }),
  'native.openFile': openedFileSchema,
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

export interface Capabilities {
  readonly showInFolder: boolean
  /** Space at the top left for the system's own buttons (macOS). */
  readonly insetTitleBar: boolean
  /** Menus, notifications and a tray, with settings. */
  readonly desktop: boolean
}

export const NO_CAPABILITIES: Capabilities = {
  showInFolder: false,
  insetTitleBar: false,
  desktop: false,
}
