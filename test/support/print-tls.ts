/** Prints a throwaway CA and a certificate signed by it as JSON: `node print-tls.ts`. */
import { makeTestTls } from './tls.ts'

process.stdout.write(JSON.stringify(await makeTestTls()))
