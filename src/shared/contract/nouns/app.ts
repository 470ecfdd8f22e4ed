/** Commands about the app, the receiver, settings and saved views. */
import { z } from 'zod'
import { appStatusSchema, doctorCheckSchema, receiverStatusSchema } from '../../model/status.ts'
import { command, nothing } from './command.ts'
import { settingsChangeSchema, settingsSchema } from '../../model/settings.ts'
import { viewSchema } from '../../model/view.ts'

export const appCommands = {
  'app.status': command(nothing, appStatusSchema),
  /** Returns a one-time URL of the app; loopback host only. */
  'app.open': command(nothing, z.object({ url: z.string() })),
  /** Signs out all browsers but the caller's; loopback host only. */
  'app.signOut': command(nothing, nothing),
  /** Returns a text file for a bug report, without secrets. */
  'app.diagnostics': command(nothing, z.object({ name: z.string(), text: z.string() })),
  'doctor.run': command(nothing, z.object({ checks: z.array(doctorCheckSchema) })),
} as const

export const receiverCommands = {
  'receiver.setPublicUrl': command(z.object({ url: z.string().nullable() }), receiverStatusSchema),
  'receiver.pause': command(nothing, receiverStatusSchema),
  'receiver.resume': command(nothing, receiverStatusSchema),
} as const

export const settingsCommands = {
  'settings.get': command(nothing, settingsSchema),
  'settings.set': command(settingsChangeSchema, settingsSchema),
} as const

export const viewCommands = {
  'views.list': command(nothing, z.object({ views: z.array(viewSchema) })),
  /** Creates a view, or changes the one with `id`; names are unique. */
  'views.save': command(viewSchema.extend({ id: viewSchema.shape.id.optional() }), viewSchema),
  'views.remove': command(viewSchema.pick({ id: true }), nothing),
} as const
