/** What a data folder keeps for its user: settings, each with a default, and saved views. */
import { z } from 'zod'
import { KEEP_ALL, retentionSchema } from './keeping.ts'

const MIB = 1_048_576

/** Smallest and largest body limit, in bytes. */
export const BODY_LIMITS = { least: 1_024, most: 100 * MIB } as const

/**
 * What closing the desktop app's window does: `ask` until the user has chosen, `background` keeps capturing without a window, `quit`
 * stops.
 */
export const onCloseSchema = z.enum(['ask', 'background', 'quit'])
export type OnClose = z.infer<typeof onCloseSchema>

/** Settings that only the desktop app uses. */
export const desktopSettingsSchema = z.object({
  onClose: onCloseSchema.default('ask'),
  /** Notifications by the system, only while the window isn't in front. */
  notifyInvalid: z.boolean().default(false),
  notifyHandler: z.boolean().default(false),
  notifyFlow: z.boolean().default(false),
  /** Checks for updates at the start and once a day. Without it, only when the user asks. */
  checkUpdates: z.boolean().default(false),
})
export type DesktopSettings = z.infer<typeof desktopSettingsSchema>

/** A fixed port, used from the next start on; null: the documented default, or off for plain HTTP. An option of `serve` wins. */
const portSchema = z.number().int().min(1).max(65_535).nullable()

const portSettingsSchema = z.object({
  receiver: portSchema.default(null),
  receiverHttp: portSchema.default(null),
  sandbox: portSchema.default(null),
  ui: portSchema.default(null),
})
export type PortSettings = z.infer<typeof portSettingsSchema>
export type PortName = keyof PortSettings

/** The documented ports. */
export const DEFAULT_PORTS = { ui: 4780, receiver: 4783, sandbox: 4784 } as const

/** The port of a setting; null: plain HTTP is off. */
export function portIn(ports: PortSettings, name: PortName): number | null {
  return ports[name] ?? (name === 'receiverHttp' ? null : DEFAULT_PORTS[name])
}

export const themeSchema = z.enum(['system', 'dark', 'light'])
export type Theme = z.infer<typeof themeSchema>

/** Settings that all windows of the data folder share. A missing one was never chosen: each window keeps its own. */
const windowSettingsSchema = z.object({
  theme: themeSchema.optional(),
  wrap: z.boolean().optional(),
  /** Single-letter shortcuts, such as `j`. They never work in text fields, and nowhere if disabled. */
  singleKeys: z.boolean().optional(),
  /** Whether the suggestion of a limit was dismissed: it isn't shown again. */
  limitDismissed: z.boolean().optional(),
})
export type WindowSettings = z.infer<typeof windowSettingsSchema>

export const settingsSchema = z.object({
  /** Maximum bytes kept of a body. Larger bodies get a 413; the start is kept and the signature is still checked. */
  bodyLimit: z
    .number()
    .int()
    .min(BODY_LIMITS.least)
    .max(BODY_LIMITS.most)
    .default(10 * MIB),
  /** Automatic removal. Without limits, nothing is removed. */
  retention: retentionSchema.default(KEEP_ALL),
  desktop: desktopSettingsSchema.default(desktopSettingsSchema.parse({})),
  ports: portSettingsSchema.default(portSettingsSchema.parse({})),
  window: windowSettingsSchema.default({}),
})
export type Settings = z.infer<typeof settingsSchema>

/** Changed settings. Missing ones stay unchanged. */
export const settingsChangeSchema = z.object({
  bodyLimit: settingsSchema.shape.bodyLimit.unwrap().optional(),
  retention: retentionSchema.partial().optional(),
  desktop: z
    .object({
      onClose: onCloseSchema,
      notifyInvalid: z.boolean(),
      notifyHandler: z.boolean(),
      notifyFlow: z.boolean(),
      checkUpdates: z.boolean(),
    })
    .partial()
    .optional(),
  /** Rejected with `PORT_IN_USE` if a new port isn't free. */
  ports: z
    .object({ receiver: portSchema, receiverHttp: portSchema, sandbox: portSchema, ui: portSchema })
    .partial()
    .optional(),
  window: windowSettingsSchema.optional(),
})
export type SettingsChange = z.infer<typeof settingsChangeSchema>

export const DEFAULT_SETTINGS: Settings = settingsSchema.parse({})

/** A saved search with a name, stored in the data folder. */
export const VIEW_NAME_LENGTH = 80

export const viewSchema = z.object({
  id: z.string(),
  name: z.string().trim().min(1).max(VIEW_NAME_LENGTH),
  /** As written; relative times such as `2h` stay relative. */
  query: z.string().min(1).max(4_000),
})
export type View = z.infer<typeof viewSchema>

/** Views that every data folder has, in the order shown. Names are fixed: scripts use them with `--view`. */
export const BUILT_IN_VIEWS = [
  { id: 'all', name: 'All', query: '' },
  // As the timeline and statistics count: a file's claim is unverified, and only a valid signature is stale.
  { id: 'invalid', name: 'Invalid', query: 'is:invalid is:verified' },
  { id: 'stale', name: 'Stale', query: 'is:valid is:verified -is:fresh' },
  { id: 'retried', name: 'Retried', query: 'is:retry' },
  { id: 'schema-errors', name: 'Schema errors', query: 'schema:issues' },
  { id: 'failing', name: 'Failing at my handler', query: 'response:failing' },
  { id: 'imported', name: 'Imported', query: 'is:imported' },
  { id: 'flow-runs', name: 'Flow runs', query: 'is:flow' },
  { id: 'last-hour', name: 'Last hour', query: 'within:1h' },
] as const satisfies readonly View[]
