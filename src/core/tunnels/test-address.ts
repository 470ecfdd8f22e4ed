/**
 * Tests a public URL end to end: a request like the service's must arrive at this receiver unchanged. Explains the result and the
 * fix.
 */
import { timingSafeEqual } from 'node:crypto'
import type { AddressTest } from '../../shared/model/tunnel.ts'
import type { Clock } from '../base/deps.ts'
import type { SendResult } from '../outgoing/wire/exchange.ts'
import type { Sender } from '../outgoing/wire/sender.ts'
import type { ProbeArrival, Probe, Probes } from './probes.ts'
import { AppError } from '../../shared/contract/errors.ts'

interface TestAddressDeps {
  readonly clock: Pick<Clock, 'now'>
  readonly probes: Pick<Probes, 'expect'>
  readonly sender: Pick<Sender, 'send'>
}

type Verdict = Pick<AddressTest, 'outcome' | 'message'>

const TIMEOUT_MS = 10_000
const SIGNATURE = 'x-countersign-probe-signature'
/** Characters that a proxy would change if it re-serialized JSON or text. Signatures cover these exact bytes. */
const BODY = Buffer.from(
  '{ "probe":true,"big":12345678901234567890.10,"text":"\\u00e9é\\/" ,"a":1,"a":2}\n',
)

/** Responses of tunnel providers for a missing tunnel, by their meaning. */
function elsewhere({ status, headers, body }: SendResult, host: string): Verdict {
  const text = Buffer.from(body).toString('utf8')
  const header = (name: string) => headers.find(([own]) => own.toLowerCase() === name)?.[1] ?? ''
  const said = (message: string): Verdict => ({ outcome: 'elsewhere', message })
  if (/ERR_NGROK_3200|is offline/.test(text))
    return said(`ngrok has no open tunnel at ${host}. Start the tunnel, or set its current URL.`)
  if (status === 530 || /\b1033\b/.test(text))
    return said(
      `Cloudflare returned ${status ?? ''} because no tunnel is connected at ${host}. Start it again. A new tunnel may take a minute.`,
    )
  if (status === 502 || status === 503 || status === 504)
    return said(
      `${host} returned ${status}: the tunnel or proxy can't reach the receiver. Check where it forwards to.`,
    )
  if (status !== null && status >= 300 && status < 400) {
    const to = header('location')
    return said(
      `${host} returned ${status}${to === '' ? '' : `, a redirect to ${to.slice(0, 200)}`}. The service doesn't follow redirects. Turn off whatever redirects or requires a login.`,
    )
  }
  if (status === 401 || status === 403)
    return said(
      `${host} returned ${status} before anything arrived here. Something in front requires a login, which the service doesn't have.`,
    )
  return said(
    `${host} returned ${status ?? 'a response'}, but nothing arrived here. Check that the URL points to this receiver.`,
  )
}

function alterations(
  arrival: ProbeArrival,
  probe: Probe,
  wanted: { readonly path: string; readonly signature: string },
): string[] {
  const found: string[] = []
  if (arrival.path !== wanted.path)
    found.push(
      `the path (${wanted.path.replace(probe.path, '/…')} arrived as ${arrival.path.replace(probe.path, '/…')})`,
    )
  if (arrival.method !== 'POST')
    found.push(`the method (POST arrived as ${arrival.method ?? 'nothing'})`)
  if (arrival.body.length !== BODY.length || !timingSafeEqual(arrival.body, BODY))
    found.push('the body')
  if (arrival.header(SIGNATURE).join() !== wanted.signature) found.push('the headers')
  return found
}

/** A send's messages are for an endpoint's owner, but here a tunnel or proxy is in front. */
function whyUnreached(failure: SendResult['failure'], host: string): string {
  if (failure === null) return `${host} didn't respond.`
  switch (failure.kind) {
    case 'unknown-host':
      return `${host} can't be resolved. A new tunnel's name may take a minute. Then test it again.`
    case 'timeout':
      return `${host} didn't respond within ${TIMEOUT_MS / 1_000} s. The tunnel may have lost its connection. Test it again, or restart it.`
    case 'certificate':
      return `The certificate of ${host} isn't valid (${failure.reason ?? 'unknown reason'}). The service only accepts valid certificates. Use one from a public CA, or a tunnel.`
    default:
      return failure.message
  }
}

function judge(
  result: SendResult,
  probe: Probe,
  url: URL,
  wanted: { readonly path: string; readonly signature: string },
): Verdict {
  const arrival = probe.arrived()
  const { host } = url
  if (arrival === null) {
    if (result.status === null)
      return { outcome: 'unreachable', message: whyUnreached(result.failure, host) }
    return elsewhere(result, host)
  }
  const changed = alterations(arrival, probe, wanted)
  if (changed.length > 0) {
    return {
      outcome: 'altered',
      message: `Requests to ${host} arrive, but something in front changes ${changed.join(' and ')}. Signatures cover the exact bytes, so requests must arrive unchanged.`,
    }
  }
  if (result.status !== 200 || Buffer.from(result.body).toString('utf8') !== probe.answer) {
    const what =
      result.status === null
        ? whyUnreached(result.failure, host)
        : `It arrived as ${result.status}.`
    return {
      outcome: 'no-answer',
      message: `Requests to ${host} arrive, but the response doesn't come back unchanged. ${what} The service would count each delivery as failed.`,
    }
  }
  return {
    outcome: 'reached',
    message: `Requests to ${host} arrive unchanged, and so do the responses.`,
  }
}

/** Never rejects: every failure is a test result. */
export async function testAddress(
  address: string,
  deps: TestAddressDeps,
  signal?: AbortSignal,
): Promise<AddressTest> {
  const probe = deps.probes.expect()
  const url = new URL(address.replace(/\/+$/, '') + probe.path)
  const at = new Date(deps.clock.now()).toISOString()
  const signature = Buffer.from(probe.answer).toString('base64')
  try {
    const result = await deps.sender.send({
      url: url.href,
      method: 'POST',
      headers: [
        ['content-type', 'application/json'],
        [SIGNATURE, signature],
      ],
      body: BODY,
      timeoutMs: TIMEOUT_MS,
      ...(signal === undefined ? {} : { signal }),
    })
    const { outcome, message } = judge(result, probe, url, { path: url.pathname, signature })
    return { url: address, at, outcome, message, status: result.status, ms: Math.round(result.ms) }
  } finally {
    probe.forget()
  }
}

// Validates a pasted public URL, so that the service can call URLs below it.

/**
 * The URL without trailing slashes. Throws `INVALID_INPUT` if hooks can't be registered under it: the service only calls HTTPS
 * (section 2.1), and hook paths are appended.
 */
export function readPublicAddress(given: string): string {
  const refuse = (why: string) => new AppError('INVALID_INPUT', why, { details: { field: 'url' } })
  const url = URL.canParse(given) ? new URL(given) : null
  if (url === null)
    throw refuse(
      `\`${given}\` isn't a valid URL. Paste a complete URL, such as https://quiet-lake.tunnel.example.`,
    )
  if (url.protocol !== 'https:')
    throw refuse(
      `The service only calls HTTPS (spec 2.1), and this URL begins with ${url.protocol}//. Use https://.`,
    )
  if (url.username !== '' || url.password !== '')
    throw refuse('Remove the user name before the host.')
  if (given.includes('?') || given.includes('#'))
    throw refuse(
      "Each hook's path is added to this URL, so it can't have a query or fragment. Remove everything from ? or #.",
    )
  return given.replace(/\/+$/, '')
}
