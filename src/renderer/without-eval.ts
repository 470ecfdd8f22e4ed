/**
 * Tells zod not to compile its schemas to code. Otherwise it tries out `new Function` once per page, and the content policy reports
 * that as a violation. Imported before anything that makes a schema.
 */
import { config } from 'zod'

config({ jitless: true })
