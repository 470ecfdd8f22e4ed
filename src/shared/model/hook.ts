/** Hook: one URL registered for one event, with its secret (sections 1, 2.1 and 4). */
import { z } from 'zod'
import { inForm, option } from './field-words.ts'
import { isOfConnection } from '../http.ts'
import { hookKindOf, isQualifiedEvent, type HookKind } from '../service/event-type.ts'
import { counted } from '../text/english.ts'
import { modeSchema } from './delivery.ts'

const MAX_DELAY_MS = 300_000

/** Creates a status schema: 1xx isn't final, and HTTP ends at 599. */
function answerStatus(least: number) {
  const error = `Status must be from ${least} to 599`
  return z.number({ error }).int({ error }).min(least, { error }).max(599, { error })
}

export const answeringRuleSchema = z.object({
  status: inForm(answerStatus(200).default(200), { label: 'Status' }),
  delayMs: inForm(
    z
      .number()
      .int()
      .min(0)
      .max(MAX_DELAY_MS, { error: `Delay can be at most ${MAX_DELAY_MS / 1_000} s` })
      .default(0),
    { label: 'Delay in seconds', kind: 'seconds', expected: 'a number from 0 to 300' },
  ),
  /** Number of first attempts that get `failStatus`. */
  failFirst: inForm(
    z.number().int().min(0).max(100, { error: 'Up to 100 attempts can fail' }).default(0),
    {
      label: 'Failing attempts',
      hint: 'The first of each notification',
      expected: 'an integer from 0 to 100',
    },
  ),
  failStatus: inForm(answerStatus(300).default(500), {
    label: 'Failure status',
    hint: '300 to 599',
  }),
  drop: inForm(z.boolean().default(false), { label: 'Close the connection without a response' }),
  body: inForm(z.string().max(1_048_576).default(''), { label: 'Body', kind: 'area' }),
  headers: inForm(
    z
      .record(
        z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/),
        z.string().regex(/^[\t\x20-\x7e\x80-\xff]*$/),
      )
      .default({}),
    { label: 'Response headers', kind: 'headers', hint: 'Sent with the response' },
  ),
})
export type AnsweringRule = z.infer<typeof answeringRuleSchema>

/** Rule as entered, without headers that would break the connection. */
export const answeringInputSchema = answeringRuleSchema.superRefine(({ headers }, context) => {
  for (const name of Object.keys(headers).filter(isOfConnection))
    context.addIssue({
      code: 'custom',
      path: ['headers', name],
      message: 'Must be left out: it belongs to the connection and is set automatically',
    })
})

export const DEFAULT_ANSWERING: AnsweringRule = answeringRuleSchema.parse({})

const hookKindSchema = z.enum(['brand', 'program'] satisfies HookKind[])

/** `gone`: deleted elsewhere. `unconfirmed`: the create call got no response. */
const hookStatusSchema = z.enum(['active', 'deleted', 'gone', 'unconfirmed'])

export const isDeletedHook = ({ status }: Pick<Hook, 'status'>): boolean =>
  status === 'deleted' || status === 'gone'

export const hookSchema = z.object({
  id: z.string(),
  remoteId: z.string().nullable(),
  /** Unknown for events whose registration the spec doesn't show. */
  kind: hookKindSchema.nullable(),
  event: z.string(),
  /** Registered URL, verbatim: signatures cover exactly this text. */
  url: z.string(),
  programId: z.string().nullable(),
  offerId: z.string().nullable(),
  headers: z.record(z.string(), z.string()),
  environment: z.string(),
  mode: modeSchema,
  path: z.string(),
  status: hookStatusSchema,
  createdAt: z.iso.datetime(),
  /** Last four characters of the secret; null if this host can't decrypt it. */
  secretHint: z.string().nullable(),
  previousSecrets: z.number().int(),
  answering: answeringRuleSchema,
  record: z.json().nullable(),
})
export type Hook = z.infer<typeof hookSchema>

export function knownPrograms(
  environment: string,
  hooks: readonly Hook[],
  ofSandbox: readonly string[],
): readonly string[] {
  const own = hooks.filter((hook) => hook.environment === environment && hook.status === 'active')
  return [...new Set([...ofSandbox, ...own.flatMap(({ programId }) => programId ?? [])])]
}

const LIVE_CHANGES = 'allow changes to a live environment'
export const LIVE_HOOK = 'allow changes to a live hook'

const REGISTERED_TEXT = 'Signatures cover this exact text, including any trailing slash'
const MORE = { part: 'Program, offer, service ID' } as const

export const hookImportSchema = z.object({
  event: option(z.string().min(1), 'event of the hook', '<event>', {
    label: 'Event',
    kind: 'event',
  }),
  url: option(z.string().min(1), 'registered URL, exactly as registered', '<url>', {
    label: 'Registered URL',
    kind: 'url',
    placeholder: 'https://',
    hint: REGISTERED_TEXT,
    expected: 'the URL exactly as registered',
  }),
  secret: inForm(z.string().min(1), {
    label: 'Secret',
    kind: 'secret',
    hint: 'The secretKey returned when the hook was created',
  }),
  environment: option(
    z.string().optional(),
    'environment of the hook (default: the current one)',
    '<name>',
    { label: 'Environment', kind: 'environment', hint: '' },
  ),
  programId: option(z.string().optional(), 'program of the hook', '--program <id>', {
    label: 'Program ID',
    hint: '',
    ...MORE,
  }),
  offerId: option(z.string().optional(), 'offer of the hook', '--offer <id>', {
    label: 'Offer ID',
    hint: '',
    ...MORE,
  }),
  remoteId: option(
    z.string().optional(),
    "the service's ID of the hook, needed to change or delete it from here",
    '<id>',
    { label: 'Service ID', ...MORE },
  ),
  live: option(z.boolean().default(false), LIVE_CHANGES),
})
export type HookImport = Omit<z.infer<typeof hookImportSchema>, 'live'>

const customHeadersSchema = z.record(z.string(), z.string())
const HEADER = "--header <'Name: value'>"

export const hookAddSchema = z.object({
  environment: option(
    z.string().optional(),
    'where to register (default: the current environment)',
    '<name>',
    { label: 'Environment', kind: 'environment' },
  ),
  event: option(z.string(), 'event to subscribe to', '<event>', {
    label: 'Event',
    kind: 'event',
  }),
  programId: option(
    z.string().optional(),
    'program of the hook (default: the only known program)',
    '--program <id>',
    {
      label: 'Program ID',
      kind: 'suggested',
      isNeeded: true,
      when: ({ event }) => hookKindOf(String(event)) !== 'brand',
    },
  ),
  offerId: option(
    z.string().optional(),
    'only this offer (qualified events only)',
    '--offer <id>',
    {
      label: 'Offer ID',
      hint: "Only transactions of this offer are delivered. Can't be changed later.",
      when: ({ event }) => isQualifiedEvent(String(event)),
    },
  ),
  url: option(
    z.string().optional(),
    'URL that receives deliveries (default: a new path of the receiver)',
    '<url>',
    { label: 'URL', kind: 'url', hint: REGISTERED_TEXT, isNeeded: true },
  ),
  headers: option(
    customHeadersSchema.default({}),
    'custom header of each delivery (repeatable, up to 5)',
    HEADER,
    { label: 'Custom headers', kind: 'headers', hint: 'Up to 5, sent with every delivery' },
  ),
  live: option(z.boolean().default(false), LIVE_CHANGES),
})
export type HookAdd = Omit<z.infer<typeof hookAddSchema>, 'live'>

/**
 * Missing fields keep their last known values, because an update replaces the entire hook (section
 * 4.1).
 */
export const hookUpdateSchema = z.object({
  id: z.string(),
  event: option(z.string().optional(), 'new event of the same kind', '<event>', { kind: 'event' }),
  url: option(z.string().optional(), 'new URL', '<url>'),
  programId: option(z.string().optional(), 'new program', '--program <id>'),
  /** Empty to remove all (section 4.2). */
  headers: option(
    customHeadersSchema.optional(),
    'custom header; replaces all existing ones (repeatable)',
    HEADER,
    { kind: 'headers' },
  ),
  live: option(z.boolean().default(false), LIVE_HOOK),
})
export type HookUpdate = Omit<z.infer<typeof hookUpdateSchema>, 'live'>

export const hookSyncInputSchema = z.object({
  environment: inForm(z.string().optional(), { label: 'Environment', kind: 'environment' }),
  dryRun: option(z.boolean().default(false), 'show the plan, change nothing'),
  live: option(z.boolean().default(false), "allow sending a live environment's key"),
})
export type HookSyncInput = Omit<z.infer<typeof hookSyncInputSchema>, 'live'>

export const syncedHookSchema = z.object({
  /**
   * `new`: only at the service; `gone`: only here; `here`: the same at both; `differs`: at both,
   * with a difference that `note` explains.
   */
  state: z.enum(['new', 'differs', 'gone', 'here']),
  id: z.string().nullable(),
  remoteId: z.string().nullable(),
  event: z.string(),
  url: z.string(),
  programId: z.string().nullable(),
  changes: z.boolean(),
  note: z.string().nullable(),
})
export type SyncedHook = z.infer<typeof syncedHookSchema>

export const hookSyncSchema = z.object({
  environment: z.string(),
  applied: z.boolean(),
  hooks: z.array(syncedHookSchema),
  notes: z.array(z.string()),
})
export type HookSync = z.infer<typeof hookSyncSchema>

export function syncSummary({ applied, hooks }: HookSync): string {
  const changes = hooks.filter((hook) => hook.changes).length
  if (changes === 0) return 'Nothing to change here.'
  return `${applied ? 'Changed' : 'Would change'} ${counted(changes, 'hook')} here.`
}

/** `remoteId` of hooks of flow runs, which lists leave out. */
export const FLOW_HOOK = 'flow'

export const hookFindingSchema = z.object({
  rule: z.string(),
  section: z.string(),
  field: z.string(),
  message: z.string(),
})
