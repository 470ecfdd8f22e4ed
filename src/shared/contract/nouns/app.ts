/** Commands about the application: its status, receiver, settings and saved views. */
import { z } from 'zod'
import { appStatusSchema, doctorCheckSchema, receiverStatusSchema } from '../../model/status.ts'
import { command, nothing } from './command.ts'
import { settingsChangeSchema, settingsSchema } from '../../model/settings.ts'
import { viewSchema } from '../../model/retention.ts'

export const appCommands = {
  'app.status': command(nothing, appStatusSchema),
  /** A fresh one-time URL of the app in the browser; loopback host only. */
  'app.open': command(nothing, z.object({ url: z.string() })),
  /** Signs out all browsers but the calling one; loopback host only. */
  'app.signOut': command(nothing, nothing),
  /** A text file about this installation for a bug report: versions, checks, settings and the end of the log, without secrets. */
  'app.diagnostics': command(nothing, z.object({ name: z.string(), text: z.string() })),
  'doctor.run': command(nothing, z.object({ checks: z.array(doctorCheckSchema) })),
} as const

export const receiverCommands = {
  /** Sets or clears the public URL of the receiver (such as a tunnel's). New hooks are registered under it. */
  'receiver.setPublicUrl': command(z.object({ url: z.string().nullable() }), receiverStatusSchema),
  'receiver.pause': command(nothing, receiverStatusSchema),
  'receiver.resume': command(nothing, receiverStatusSchema),
} as const

export const settingsCommands = {
  'settings.get': command(nothing, settingsSchema),
  /** Changes the given settings, immediately and permanently. */
  'settings.set': command(settingsChangeSchema, settingsSchema),
} as const

/** Commands about saved views: searches with a name. */
export const viewCommands = {
  /** In order of creation. */
  'views.list': command(nothing, z.object({ views: z.array(viewSchema) })),
  /** Creates a view; with `id` changes an existing one. Names are unique, and an invalid query is rejected. */
  'views.save': command(viewSchema.extend({ id: viewSchema.shape.id.optional() }), viewSchema),
  'views.remove': command(viewSchema.pick({ id: true }), nothing),
} as const
