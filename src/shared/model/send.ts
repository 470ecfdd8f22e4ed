/**
 * A send: one request that we made of a stored delivery, to a developer's own endpoint. It is never an attempt, which is the
 * service's (`sending.ts`). What a job asks for and how far it is stands here too.
 */
import { z } from 'zod'
import { rawHeadersSchema } from './delivery.ts'
import { editedPartSchema, NO_EDITS, replayEditsSchema } from './replay-edits.ts'

/** `--tamper`: what is wrong with the request on purpose. */
export const tamperSchema = z.enum(['body', 'secret', 'stale', 'future', 'single-pass', 'no-signature', 'no-timestamp', 'url'])
export type Tamper = z.infer<typeof tamperSchema>

export const sendFailureKindSchema = z.enum([
  'timeout',
  'refused',
  'unknown-host',
  'certificate',
  'tls',
  'dropped',
  'not-http',
  'not-allowed',
  'cancelled',
  'other',
])
export type SendFailureKind = z.infer<typeof sendFailureKindSchema>

/**
 * `waiting`: not yet sent. `under-way`: written down before its first byte goes, a little ahead where many go. `settled`: its
 * answer, or that none came, is known. `uncertain`: the program ended while it was under way, so it may have arrived; it was sent
 * once more. `not-sent`: it could not be made, `error` says why. `cancelled`: the job was, before its turn.
 */
export const sendStateSchema = z.enum(['waiting', 'under-way', 'settled', 'uncertain', 'not-sent', 'cancelled'])
export type SendState = z.infer<typeof sendStateSchema>

/**
 * Of a settled send, compared with the last settled one of the same delivery, to the same target, edited and tampered with alike:
 * whether the endpoint acknowledges it, and whether that has changed. `recorded`: only Countersign's own receiver responded.
 */
export const sendOutcomeSchema = z.enum([
  'first-pass',
  'still-passing',
  'fixed',
  'first-fail',
  'still-failing',
  'regressed',
  'recorded',
])
export type SendOutcome = z.infer<typeof sendOutcomeSchema>

export const sendSchema = z.object({
  id: z.string(),
  jobId: z.string(),
  /** Its place in the job, from 1. */
  position: z.number().int(),
  deliveryId: z.string(),
  target: z.string(),
  /** What it was signed over, before any tampering; null where it was not signed, or not yet. */
  registeredUrl: z.string().nullable(),
  tamper: tamperSchema.nullable(),
  /** A replay, or a delivery that was passed on: then `jobId` is that of its target. */
  kind: z.enum(['replay', 'forward']),
  /** How often a forwarded one was tried before and answered otherwise than hoped for. */
  tries: z.number().int(),
  /** What was other than captured. */
  edited: z.array(editedPartSchema),
  state: sendStateSchema,
  startedAt: z.iso.datetime().nullable(),
  /** Null where no answer came. */
  status: z.number().int().nullable(),
  /** From its start to the end of the answer, in milliseconds. */
  ms: z.number().nullable(),
  /** Parts of `ms`: to connect, to wait for the head of the answer, to read its body. */
  phases: z.object({ connect: z.number(), wait: z.number(), body: z.number() }).nullable(),
  errorKind: sendFailureKindSchema.nullable(),
  error: z.string().nullable(),
  outcome: sendOutcomeSchema.nullable(),
  /** Of a forged send: whether the endpoint acknowledged the last valid one before it; null if none was sent. */
  validPassed: z.boolean().nullable(),
  /** What is the matter with the endpoint's certificate, which was taken all the same since it is on this machine. */
  certificateProblem: z.string().nullable(),
})
export type Send = z.infer<typeof sendSchema>

/** Whether an endpoint is right to refuse it: it is wrong on purpose, or its signature or its time was not made anew. */
export function isForged({ tamper, edited }: Pick<Send, 'tamper' | 'edited'>): boolean {
  return tamper !== null || edited.includes('signature') || edited.includes('timestamp')
}

/** Whether an endpoint rejected a forged send. */
export function isRejected(send: Pick<Send, 'tamper' | 'edited' | 'status' | 'error'>): boolean {
  const { status, error } = send
  return isForged(send) && error === null && status !== null && status >= 400 && status < 500
}

/** With what tells its delivery from others in a list: its event, null where it is of none, and when it was received. */
export const listedSendSchema = sendSchema.extend({ event: z.string().nullable(), receivedAt: z.iso.datetime() })
export type ListedSend = z.infer<typeof listedSendSchema>

/** A request as it went out: its headers whole but for `host`, `connection` and `content-length`; its body up to 64 KiB. */
export const sentRequestSchema = z.object({
  method: z.string(),
  headers: rawHeadersSchema,
  base64: z.string(),
  truncated: z.boolean(),
})
export type SentRequest = z.infer<typeof sentRequestSchema>

/** With the answer whole: its body up to 64 KiB; and with the request, null where it was not sent, or is not known for certain. */
export const sendAnswerSchema = sendSchema.extend({
  headers: rawHeadersSchema,
  base64: z.string(),
  truncated: z.boolean(),
  request: sentRequestSchema.nullable(),
})
export type SendAnswer = z.infer<typeof sendAnswerSchema>

/** What all sends of a job have in common. */
export const replaySettingsSchema = z.object({
  /** The search whose deliveries these are; null where they were named. */
  query: z.string().nullable().default(null),
  to: z.string().nullable(),
  registeredUrl: z.string().nullable(),
  hookId: z.string().nullable(),
  tamper: tamperSchema.nullable(),
  /** What is changed but for the body, which is kept beside them. */
  edits: replayEditsSchema.default(NO_EDITS),
  /** How often each delivery goes. */
  repeat: z.number().int().default(1),
  concurrency: z.number().int(),
  /** Sends a second at most; null: as fast as the endpoint answers. */
  rate: z.number().nullable(),
  /** A certificate authority that the endpoint's certificate has to verify with, on this machine too; PEM. */
  targetCa: z.string().nullable(),
})
export type ReplaySettings = z.infer<typeof replaySettingsSchema>

export const replayJobSchema = z.object({
  id: z.string(),
  createdAt: z.iso.datetime(),
  ...replaySettingsSchema.omit({ targetCa: true, edits: true }).shape,
  edited: z.array(editedPartSchema),
  /** `interrupted`: the program ended before the job did; it can be resumed. */
  state: z.enum(['running', 'interrupted', 'done', 'cancelled']),
  /** Why it stopped before its end, where that is known. */
  problem: z.string().nullable(),
  /** Sends asked for. */
  total: z.number().int(),
  waiting: z.number().int(),
  underWay: z.number().int(),
  /** Answered with an acknowledgement, or not. */
  passed: z.number().int(),
  failed: z.number().int(),
  /** Only Countersign's own receiver responded. */
  recorded: z.number().int().default(0),
  fixed: z.number().int(),
  regressed: z.number().int(),
  /** May have been sent twice: once before the program ended, and once when the job was resumed. */
  uncertain: z.number().int(),
  notSent: z.number().int(),
  cancelled: z.number().int(),
})
export type ReplayJob = z.infer<typeof replayJobSchema>

/** Which sends of a job are asked for; `failed` are those not acknowledged, `not-sent` also those cancelled. */
export const sendsShownSchema = z.enum(['all', 'failed', 'regressed', 'fixed', 'not-sent', 'uncertain'])
export type SendsShown = z.infer<typeof sendsShownSchema>
