/** `countersign verify`: judges one request offline, from its parts alone. Its exit code is 0 only where the verdict is `valid`. */
import type { Command } from 'commander'
import { verifyOffline } from '../../core/signature/verify-offline.ts'
import { readInstant, readOnce, readSeconds } from '../arguments.ts'
import type { CommandContext } from '../context.ts'
import { signatureJson } from '../delivery-json.ts'
import { EXIT } from '../failure.ts'
import { addBodyOption, addSecretOptions, readBodyAndSecret, type BodyOption, type SecretOptions } from '../inputs.ts'
import { signatureLines } from '../signature-text.ts'

interface VerifyOptions extends SecretOptions, BodyOption {
  readonly url: string
  readonly timestamp: string
  readonly signature: string
  readonly at?: number
  readonly maxAge?: number
  readonly json?: true
}

/** An empty header is a header that was not there. */
function orMissing(text: string): string | null {
  return text === '' ? null : text
}

export function addVerify(program: Command, context: CommandContext): void {
  const command = program
    .command('verify')
    .summary('verify one request offline')
    .description(
      'Verifies one request from its body, URL, timestamp and signature. Ends with 0 only where the verdict is "valid".',
    )
    .requiredOption('--url <url>', 'registered URL of the hook, verbatim', readOnce)
    .requiredOption('--timestamp <timestamp>', 'value of the timestamp header; empty where there was none', readOnce)
    .requiredOption('--signature <signature>', 'value of the signature header; empty where there was none', readOnce)
  addBodyOption(addSecretOptions(command))
    .option('--at <time>', 'when it was received (default: now)', readInstant)
    .option('--max-age <seconds>', 'also demand that it is no older than this', readSeconds)
    .option('--json', 'print one JSON object')
    .action(async (options: VerifyOptions) => {
      const { body, secret } = await readBodyAndSecret(context, options)
      const report = verifyOffline({
        body,
        secret,
        url: options.url,
        timestamp: orMissing(options.timestamp),
        signature: orMissing(options.signature),
        at: options.at ?? context.now(),
        ...(options.maxAge === undefined ? {} : { maxAgeMs: options.maxAge }),
      })
      if (options.json === true) context.output.json(signatureJson(report))
      else for (const line of signatureLines(context.output, report)) context.output.line(line)
      const isFreshEnough = options.maxAge === undefined || report.freshness === 'fresh'
      context.exit(report.verdict === 'valid' && isFreshEnough ? EXIT.done : EXIT.no)
    })
}
