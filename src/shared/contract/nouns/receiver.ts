/** Commands about the receiver. */
import { z } from 'zod'
import { receiverStatusSchema } from '../../model/status.ts'
import { command, nothing } from './command.ts'

export const receiverCommands = {
  /** Sets the public address that stands in front of the receiver (a tunnel's), or takes it away. New hooks are registered under it. */
  'receiver.setPublicUrl': command(z.object({ url: z.string().nullable() }), receiverStatusSchema),
  'receiver.pause': command(nothing, receiverStatusSchema),
  'receiver.resume': command(nothing, receiverStatusSchema),
} as const
