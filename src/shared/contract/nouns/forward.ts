/** Commands about forward targets. */
import { z } from 'zod'
import {
  forwardSettingsSchema,
  forwardStateSchema,
  forwardTargetSchema,
} from '../../model/forward.ts'
import { listedSendSchema } from '../../model/send.ts'
import { option } from '../../model/field-words.ts'
import { allowHosts, command, live, nothing, targetCa } from './command.ts'

/** Settings without the handler, which `url` names. */
const editableSettings = forwardSettingsSchema.omit({ handlerId: true })
const settings = editableSettings.extend({
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
    "registered URL of the signature (default: each hook's)",
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
   * Needs consent to a remote host or live environment: with this call if `temporary`, else stored
   * by the window.
   */
  'forward.add': command(
    settings.extend({ temporary: z.boolean().default(false), ...consent }),
    target,
  ),
  'forward.update': command(
    editableSettings.partial().extend({ ...byId.shape, ...consent }),
    target,
  ),
  'forward.remove': command(byId, z.object({ dropped: z.number().int() })),
  'forward.pause': command(byId, target),
  'forward.resume': command(byId, target),
  'forward.deliver': command(byId, target),
  'forward.drop': command(byId, z.object({ dropped: z.number().int() })),
  /**
   * Resolves when the caller disconnects: a temporary target is then removed, or kept paused if
   * deliveries wait.
   */
  'forward.keep': command(byId, nothing),
  'forward.sends': command(
    byId.extend({ limit: z.number().int().min(1).max(1_000).default(50) }),
    z.object({ sends: z.array(listedSendSchema) }),
  ),
} as const
