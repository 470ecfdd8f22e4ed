/**
 * The setup file: a setup to share, as data. `countersign.schema.json` is generated from
 * this schema.
 */
import { z } from 'zod'
import { withScheme } from '../http.ts'
import { environmentAddSchema, prefixSchema } from './environment.ts'
import { forwardSettingsSchema } from './forward.ts'
import { handlerAddSchema } from './handler.ts'
import { answeringRuleSchema } from './hook.ts'
import { requestNameSchema } from './request-name.ts'
import { settingsChangeSchema } from './settings.ts'
import { SETUP_FILE_BYTES } from './setup-file.ts'
import { viewSchema } from './view.ts'

const pathSchema = z.string().min(1).max(1_000)
const nameSchema = z.string().trim().min(1).max(64)

/** Place of a secret, which is never in the file itself. */
export const secretReferenceSchema = z
  .strictObject({
    env: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, 'Use letters, digits and underscores.')
      .optional()
      .describe('Environment variable with the secret.'),
    file: pathSchema
      .optional()
      .describe('File with the secret, in the folder of this file or with an absolute path.'),
  })
  .refine(({ env, file }) => (env === undefined) !== (file === undefined), {
    message: 'Name either `env` or `file`.',
  })
export type SecretReference = z.infer<typeof secretReferenceSchema>

const secret = secretReferenceSchema
  .optional()
  .describe('Variable or file with the secret. Without it, `countersign apply` asks once.')

const { key: _, clientSecret: _secret, ...environmentFields } = environmentAddSchema.shape
const setupEnvironmentSchema = z.strictObject({
  ...environmentFields,
  key: secret,
  clientSecret: secret,
})

const sandboxSchema = z.strictObject({
  prefix: prefixSchema.optional(),
  caPem: z.string().nullable().optional(),
})

const setupHookSchema = z.strictObject({
  name: nameSchema.describe('Name in this file, for handlers.'),
  id: z.uuid().optional().describe('ID for a new hook, if a search names it.'),
  environment: z.string().min(1),
  event: z.string().min(1),
  url: z.string().min(1).max(2_000).describe('Registered URL, exactly as registered.'),
  programId: z.string().min(1).nullable().default(null),
  offerId: z.string().min(1).nullable().default(null),
  remoteId: z.string().min(1).nullable().default(null).describe("The service's ID of the hook."),
  secret,
  headers: z
    .record(z.string().min(1), secretReferenceSchema)
    .default({})
    .describe('Custom headers of the hook, each with the variable or file of its value.'),
  response: z
    .strictObject(answeringRuleSchema.shape)
    .default(answeringRuleSchema.parse({}))
    .describe('How the receiver responds.'),
})

const { hookId: _hookId, secret: _own, ...handlerFields } = handlerAddSchema.shape
const setupHandlerSchema = z.strictObject({
  ...handlerFields,
  url: handlerFields.url.overwrite(withScheme),
  hook: nameSchema.optional().describe('Hook whose secret it verifies with.'),
  secret,
})

const { handlerId: _handlerId, answer, ...forwardFields } = forwardSettingsSchema.shape
const setupForwardSchema = z.strictObject({
  ...forwardFields,
  name: nameSchema,
  url: forwardFields.url.overwrite(withScheme),
  query: forwardFields.query.default(''),
  response: answer.default('rule'),
  sign: forwardFields.sign.default('now'),
  registeredUrl: forwardFields.registeredUrl.default(null),
  targetCa: forwardFields.targetCa.default(null),
  on: forwardFields.on.default(true),
  handler: z.string().optional().describe('Handler whose secret signs.'),
})

const setupRequestSchema = z.strictObject({
  name: requestNameSchema.describe('Name, for `countersign replay name:NAME`.'),
  file: pathSchema.describe('File with the exact body, in the folder of this file.'),
  event: z.string().min(1).max(200).optional().describe("Event of the body. Default: the hook's."),
  hook: nameSchema.optional().describe('Hook whose secret signs.'),
  headers: z
    .record(z.string().min(1), z.string().max(8_000))
    .default({})
    .describe("Headers that replace the service's, or follow them; none with a secret."),
})

const { bodyLimit, retention, desktop, ports, window } = settingsChangeSchema.shape
const setupSettingsSchema = z.strictObject({
  bodyLimit,
  retention: retention.unwrap().strict().optional(),
  desktop: desktop.unwrap().strict().optional(),
  ports: ports.unwrap().strict().optional(),
  window: window.unwrap().omit({ limitDismissed: true }).strict().optional(),
})

export const setupSchema = z.strictObject({
  $schema: z.string().optional(),
  countersign: z.literal(1).describe('Version of this format.'),
  data: pathSchema
    .optional()
    .describe('Data folder for commands that run below this folder, inside it.'),
  settings: setupSettingsSchema.default({}),
  environments: z.array(setupEnvironmentSchema).max(100).default([]),
  sandbox: z
    .strictObject({ test: sandboxSchema.optional(), live: sandboxSchema.optional() })
    .default({})
    .describe("The sandbox's two environments."),
  hooks: z.array(setupHookSchema).max(1_000).default([]),
  handlers: z.array(setupHandlerSchema).max(100).default([]),
  forwards: z.array(setupForwardSchema).max(100).default([]).describe('Forward targets.'),
  views: z
    .array(viewSchema.omit({ id: true }).strict())
    .max(200)
    .default([]),
  flows: z.array(pathSchema).max(100).default([]).describe('Paths of your flow files.'),
  requests: z.array(setupRequestSchema).max(200).default([]).describe('Named requests.'),
  current: z
    .strictObject({ environment: z.string().optional(), handler: z.string().optional() })
    .default({})
    .describe('Environment and handler that commands use by default.'),
})
/** Setup with its defaults. */
export type Setup = z.output<typeof setupSchema>
export type SetupHook = Setup['hooks'][number]
export type SetupRequest = Setup['requests'][number]

/** Setup file with all that it names. */
export const setupSourceSchema = z.object({
  /** Absolute path. */
  file: z.string().min(1),
  text: z.string().max(SETUP_FILE_BYTES),
  /** Texts of other files by their path in the setup. */
  files: z.record(z.string(), z.string()),
  /** Bodies of the named requests by their path, in Base64. */
  bodies: z.record(z.string(), z.base64()).default({}),
  /** Known secrets by place, such as `hooks[0].secret`. */
  secrets: z.record(z.string(), z.string().min(1).max(1_000)),
})
export type SetupSource = z.infer<typeof setupSourceSchema>

const setupChangeSchema = z.object({
  field: z.string(),
  /** Values as text; null if secret or absent. */
  from: z.string().nullable(),
  to: z.string().nullable(),
})

export const setupEntrySchema = z.object({
  kind: z.enum([
    'setting',
    'environment',
    'hook',
    'handler',
    'forward target',
    'view',
    'flow',
    'named request',
    'current',
  ]),
  name: z.string(),
  /** `extra`: only in the data folder, and kept. */
  state: z.enum(['add', 'change', 'unchanged', 'extra']),
  changes: z.array(setupChangeSchema),
})
export type SetupEntry = z.infer<typeof setupEntrySchema>

export const setupPlanSchema = z.object({
  file: z.string(),
  differences: z.number().int(),
  entries: z.array(setupEntrySchema),
  /** Secrets that must be entered first. */
  missing: z.array(
    z.object({
      place: z.string(),
      what: z.string(),
      /** Variable or file that the setup names; null if absent. */
      reference: z.string().nullable(),
      /** Whether applying reads it from an absolute path. */
      isOutside: z.boolean(),
    }),
  ),
})
export type SetupPlan = z.infer<typeof setupPlanSchema>

/** Whether applying deletes deliveries beyond new retention limits. */
export function deletesDeliveries({ entries }: SetupPlan): boolean {
  return entries.some((entry) => isChangedEntry(entry) && entry.name.startsWith('retention.'))
}

/** Returns a change as text: `url: A → B`, or `secret: new` for one that isn't shown. */
export function setupChangeText({ field, from, to }: SetupEntry['changes'][number]): string {
  const values = from === null && to === null ? 'new' : `${from ?? 'none'} → ${to ?? 'none'}`
  return field === 'value' ? values : `${field}: ${values}`
}

export const isChangedEntry = ({ state }: Pick<SetupEntry, 'state'>): boolean =>
  state === 'add' || state === 'change'
