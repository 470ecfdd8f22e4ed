/** Prints a throw-away authority and a leaf of it as JSON: `node print-tls.ts`. */
import { makeTestTls } from './tls.ts'

process.stdout.write(JSON.stringify(await makeTestTls()))
