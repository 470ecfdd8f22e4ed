/** Commands about hooks and environments. */
import { z } from 'zod'
import {
  answeringInputSchema,
  hookAddSchema,
  hookFindingSchema,
  hookImportSchema,
  hookSchema,
  hookSyncInputSchema,
  hookSyncSchema,
  hookUpdateSchema,
  LIVE_HOOK,
} from '../../model/hook.ts'
import { inForm, option } from '../../model/field-words.ts'
import { command, live } from './command.ts'
import {
  environmentAddSchema,
  environmentCheckSchema,
  environmentSchema,
  environmentUpdateSchema,
} from '../../model/environment.ts'

export const hookCommands = {
  'hooks.list': command(
    z.object({
      environment: option(z.string().optional(), 'only hooks of this environment', '<name>'),
    }),
    z.object({
      /** `remoteHost` (see `remoteHostOf`) depends on the public URL, so only lists have it. */
      hooks: z.array(hookSchema.extend({ remoteHost: z.string().nullable().optional() })),
    }),
  ),
  'hooks.import': command(
    hookImportSchema,
    hookSchema.extend({ warnings: z.array(hookFindingSchema) }),
  ),
  /** Finds problems, for a form; `url` is the URL to register. */
  'hooks.check': command(
    hookAddSchema.omit({ live: true }),
    z.object({
      findings: z.array(hookFindingSchema),
      warnings: z.array(hookFindingSchema),
      url: z.string(),
    }),
  ),
  'hooks.add': command(
    hookAddSchema,
    z.object({ hook: hookSchema, warnings: z.array(hookFindingSchema) }),
  ),
  'hooks.update': command(
    hookUpdateSchema,
    z.object({ hook: hookSchema, warnings: z.array(hookFindingSchema) }),
  ),
  /**
   * Deletes a hook from the service; its secret stays to verify old deliveries, unless `purge` and
   * unused.
   */
  'hooks.remove': command(
    z.object({
      id: z.string(),
      purge: option(
        z.boolean().default(false),
        'remove its record and secret from this computer too',
      ),
      live: live(LIVE_HOOK),
    }),
    hookSchema,
  ),
  /** Makes a secret the current one; previous ones still verify. */
  'hooks.rotate': command(
    z.object({
      id: z.string(),
      secret: inForm(z.string().min(1), { label: 'New secret', kind: 'secret' }),
      live: live(LIVE_HOOK),
    }),
    hookSchema,
  ),
  /** Sets how the receiver responds. */
  'hooks.answer': command(
    z.object({ id: z.string(), rule: answeringInputSchema, live: z.boolean().default(false) }),
    hookSchema,
  ),
  'hooks.repoint': command(
    z.object({ from: z.url(), to: z.url(), live: live('allow changes to live environments') }),
    z.object({
      moved: z.array(
        z.object({
          hook: hookSchema,
          problem: z.string().nullable(),
          warnings: z.array(hookFindingSchema),
        }),
      ),
    }),
  ),
  /** Imports hooks that the service lists, and marks others as gone. */
  'hooks.sync': command(hookSyncInputSchema, hookSyncSchema),
  'hooks.reveal': command(z.object({ id: z.string() }), z.object({ secret: z.string() })),
} as const

export const environmentCommands = {
  'environments.list': command(
    z.object({ includeSecrets: option(z.boolean().default(false), 'show keys') }),
    z.object({ environments: z.array(environmentSchema) }),
  ),

  'environments.add': command(environmentAddSchema, environmentSchema),
  'environments.update': command(environmentUpdateSchema, environmentSchema),
  'environments.use': command(
    z.object({ name: z.string(), live: live('allow using a live environment by default') }),
    environmentSchema,
  ),
  /** Makes one read-only call with the account's key. */
  'environments.check': command(
    z.object({
      name: z.string().optional(),
      live: live("allow sending a live environment's key"),
    }),
    environmentCheckSchema,
  ),
  'environments.remove': command(
    z.object({ name: z.string(), live: live('allow removing a live environment') }),
    z.object({}),
  ),
} as const
