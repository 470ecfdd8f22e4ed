/** Commands about the application: its status, receiver, repair, settings and saved views. */
import { z } from 'zod'
import { appStatusSchema, doctorCheckSchema, receiverStatusSchema } from '../../model/status.ts'
import { command, nothing } from './command.ts'
import { repairStateSchema } from '../../model/repair.ts'
import { settingsChangeSchema, settingsSchema, viewSchema } from '../../model/settings.ts'

export const appCommands = {
  'app.status': command(nothing, appStatusSchema),
  /** A fresh one-time address of the app in the browser; only the loopback host has one. */
  'app.open': command(nothing, z.object({ url: z.string() })),
  'doctor.run': command(nothing, z.object({ checks: z.array(doctorCheckSchema) })),
} as const

/** Commands about the receiver. */
export const receiverCommands = {
  /** Sets the public address that stands in front of the receiver (a tunnel's), or takes it away. New hooks are registered under it. */
  'receiver.setPublicUrl': command(z.object({ url: z.string().nullable() }), receiverStatusSchema),
  'receiver.pause': command(nothing, receiverStatusSchema),
  'receiver.resume': command(nothing, receiverStatusSchema),
} as const

/** Commands about the repair of a damaged database, which a running instance does itself. */
export const repairCommands = {
  'repair.get': command(nothing, repairStateSchema),
  /** Begins the repair. Until it has ended deliveries are answered 503, and other commands are refused with `DATABASE_DAMAGED`. */
  'repair.start': command(nothing, repairStateSchema),
  /** Cancels it; nothing is changed then. */
  'repair.cancel': command(nothing, nothing),
} as const

/** Commands about what the user sets for the whole data folder. */
export const settingsCommands = {
  'settings.get': command(nothing, settingsSchema),
  /** Changes what is named; it holds at once, and after a restart. */
  'settings.set': command(settingsChangeSchema, settingsSchema),
} as const

/** Commands about saved views: searches with a name. */
export const viewCommands = {
  /** In the order in which they were made. */
  'views.list': command(nothing, z.object({ views: z.array(viewSchema) })),
  /** Makes a view; with `id` it changes that one. A name belongs to one view; a query that cannot be read is not kept. */
  'views.save': command(viewSchema.extend({ id: viewSchema.shape.id.optional() }), viewSchema),
  'views.remove': command(viewSchema.pick({ id: true }), nothing),
} as const
