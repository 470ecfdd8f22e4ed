/** Commands about forwarding: targets that each new delivery is passed on to, what waits for them, and answers given by hand. */
import { z } from 'zod'
import {
  forwardFindingSchema,
  forwardSettingsSchema,
  forwardStateSchema,
  forwardTargetSchema,
  handAnswerSchema,
} from '../../model/forward.ts'
import { listedSendSchema } from '../../model/send.ts'
import { command, nothing } from './command.ts'

const settings = forwardSettingsSchema.extend({
  name: forwardSettingsSchema.shape.name.default(''),
  url: forwardSettingsSchema.shape.url.default(''),
  query: forwardSettingsSchema.shape.query.default(''),
  answer: forwardSettingsSchema.shape.answer.default('rule'),
  sign: forwardSettingsSchema.shape.sign.default('now'),
  registeredUrl: forwardSettingsSchema.shape.registeredUrl.default(null),
  targetCa: forwardSettingsSchema.shape.targetCa.default(null),
  on: forwardSettingsSchema.shape.on.default(true),
})
const allowHosts = z.array(z.string().min(1)).max(100).default([])
const live = z.boolean().default(false)
const target = z.object({ target: forwardTargetSchema })
const byId = z.object({ id: z.string().min(1) })

export const forwardCommands = {
  'forward.list': command(nothing, forwardStateSchema),
  /**
   * What speaks against a target, as a form asks while it is filled in; which host has to be agreed to, and which live
   * environments its route reaches. `id`: the target that is changed.
   */
  'forward.check': command(
    settings.extend({ id: z.string().optional(), allowHosts }),
    z.object({
      findings: z.array(forwardFindingSchema),
      host: z.string().nullable(),
      liveEnvironments: z.array(z.string()),
    }),
  ),
  /**
   * Makes a target; the next delivery that fits goes there. A host beyond this machine has to be in `allowHosts`, and a route
   * that reaches live environments wants `live: true`; both are kept with the target.
   */
  'forward.add': command(settings.extend({ temporary: z.boolean().default(false), allowHosts, live }), target),
  /** Changes what is named. A consent that the change needs is asked for as when the target was made. */
  'forward.update': command(forwardSettingsSchema.partial().extend({ ...byId.shape, allowHosts, live }), target),
  /** What waits for it is not sent; what was sent stays with its deliveries. Gives how many waited. */
  'forward.remove': command(byId, z.object({ dropped: z.number().int() })),
  /** What comes from now on waits, until it is resumed. */
  'forward.pause': command(byId, target),
  'forward.resume': command(byId, target),
  /** Tries what waits at once; a paused target is resumed. */
  'forward.deliver': command(byId, target),
  /** What waits will not be sent. Gives how many waited. */
  'forward.drop': command(byId, z.object({ dropped: z.number().int() })),
  /**
   * Answers only when the caller goes away: with it a temporary target ends. Where deliveries still wait for it, it stays as a
   * paused one, so that nothing is lost.
   */
  'forward.keep': command(byId, nothing),
  /** The last sends to a target, newest first. */
  'forward.sends': command(
    byId.extend({ limit: z.number().int().min(1).max(1_000).default(50) }),
    z.object({ sends: z.array(listedSendSchema) }),
  ),
  /** Answers a held delivery; `NOT_FOUND` where it was answered already, by hand or by the rule. */
  'forward.answer': command(handAnswerSchema.extend({ deliveryId: z.string().min(1) }), nothing),
  /** Lets the hook's rule answer a held delivery, without waiting any longer. */
  'forward.release': command(z.object({ deliveryId: z.string().min(1) }), nothing),
} as const
