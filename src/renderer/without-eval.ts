/**
 * Keeps zod from compiling its schemas: its trial of `new Function` would violate the content
 * policy. Imported before anything that makes a schema.
 */
import { config } from 'zod'

config({ jitless: true })
