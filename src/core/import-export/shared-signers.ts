/** Lines of a shareable capture with its throw-away environments and hooks. */
import { z } from 'zod'
import { modeSchema } from '../../shared/model/delivery.ts'
import { environmentAddSchema, prefixSchema } from '../../shared/model/environment.ts'
import { hookSchema } from '../../shared/model/hook.ts'
import { isEventName } from '../../shared/service/event-type.ts'

const SHARED_NAME = /^shared-[\da-f]{8}$/
const SHARED_URL = /^https?:\/\/(?:[^/?#@]*@)?[^/?#@]*\.hooks\.example(?::\d{1,5})?(?:[/?#].*)?$/is
const MOST_SECRETS = 100

const secret = z.string().min(1).max(1_000)
const name = z.string().regex(SHARED_NAME, "isn't the name of a shared environment")

const sharedEnvironmentSchema = z.object({
  name,
  mode: modeSchema,
  prefix: prefixSchema,
  ack: environmentAddSchema.shape.ack.unwrap(),
  key: secret.nullable(),
})

const sharedHookSchema = z.object({
  environment: name,
  event: z.string().refine(isEventName, "isn't the name of an event"),
  url: z.string().max(10_000).regex(SHARED_URL, "isn't at hooks.example"),
  programId: z.string().max(200).nullable(),
  offerId: z.string().max(200).nullable(),
  status: hookSchema.shape.status,
  /** Current one first. */
  secrets: z.array(secret).max(MOST_SECRETS),
})

export const sharedSignerSchema = z.union([
  z.object({ countersign: z.literal(1), sharedEnvironment: sharedEnvironmentSchema }),
  z.object({ countersign: z.literal(1), sharedHook: sharedHookSchema }),
])
export type SharedSigner = z.infer<typeof sharedSignerSchema>

export const isSignerLine = (value: unknown) =>
  typeof value === 'object' &&
  value !== null &&
  ('sharedEnvironment' in value || 'sharedHook' in value)
