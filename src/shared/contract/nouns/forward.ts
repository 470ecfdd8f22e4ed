/** Commands about forwarding: targets that receive each new delivery, and their queues. */
import { z } from 'zod'
import {
  forwardSettingsSchema,
  forwardStateSchema,
  forwardTargetSchema,
} from '../../model/forward.ts'
import { listedSendSchema } from '../../model/send.ts'
import { option } from '../../model/field-words.ts'
import { allowHosts, command, live, nothing, targetCa } from './command.ts'

/** The core finds the handler by the URL that names it. */
const given = forwardSettingsSchema.omit({ handlerId: true })
const settings = given.extend({
  name: option(
    forwardSettingsSchema.shape.name.default(''),
    'name of the target in the app (default: its host)',
    '<name>',
  ),
  url: forwardSettingsSchema.shape.url.default(''),
  query: forwardSettingsSchema.shape.query.default(''),
  answer: forwardSettingsSchema.shape.answer.default('rule'),
  sign: forwardSettingsSchema.shape.sign.default('now'),
  registeredUrl: option(
    forwardSettingsSchema.shape.registeredUrl.default(null),
    "URL to sign (default: each hook's registered URL)",
    '<url>',
  ),
  targetCa,
  on: forwardSettingsSchema.shape.on.default(true),
})
const consent = { allowHosts, live: live('allow forwarding deliveries of live hooks') }
const target = z.object({ target: forwardTargetSchema })
const byId = z.object({ id: z.string().min(1) })

export const forwardCommands = {
  'forward.list': command(nothing, forwardStateSchema),
  /**
   * Creates a target; the next matching delivery is forwarded to it. A remote host, and live
   * environments that the route includes, need consent. A temporary target keeps the consent of
   * this call; others have what the window keeps.
   */
  'forward.add': command(
    settings.extend({ temporary: z.boolean().default(false), ...consent }),
    target,
  ),
  /** Changes the given fields. Requires the same consent as creating a target. */
  'forward.update': command(given.partial().extend({ ...byId.shape, ...consent }), target),
  /** Discards pending deliveries; past sends stay with their deliveries. Returns how many were pending. */
  'forward.remove': command(byId, z.object({ dropped: z.number().int() })),
  /** New deliveries stay pending until the target is resumed. */
  'forward.pause': command(byId, target),
  'forward.resume': command(byId, target),
  /** Sends pending deliveries immediately; resumes a paused target. */
  'forward.deliver': command(byId, target),
  /** Discards pending deliveries. Returns their number. */
  'forward.drop': command(byId, z.object({ dropped: z.number().int() })),
  /**
   * Returns only when the caller disconnects, which ends a temporary target. If it still has pending deliveries, it is kept as a
   * paused target, so nothing is lost.
   */
  'forward.keep': command(byId, nothing),
  /** Latest sends to a target, newest first. */
  'forward.sends': command(
    byId.extend({ limit: z.number().int().min(1).max(1_000).default(50) }),
    z.object({ sends: z.array(listedSendSchema) }),
  ),
} as const
