/**
 * Tests a public URL end to end: a request like the service's must arrive at this receiver
 * unchanged.
 */
import type { AddressTest } from '../../shared/model/tunnel.ts'
import type { Clock } from '../base/deps.ts'
import type { Sender } from '../outgoing/wire/sender.ts'
import type { SendResult } from '../outgoing/wire/send-request.ts'
import type { Probe, Probes } from '../receiver/probes.ts'

interface TestAddressDeps {
  readonly clock: Pick<Clock, 'now'>
  readonly probes: Pick<Probes, 'expect'>
  readonly sender: Pick<Sender, 'send'>
}

type Verdict = Pick<AddressTest, 'outcome' | 'message'>

const TIMEOUT_MS = 10_000
const SIGNATURE = 'x-countersign-probe-signature'
/** Characters that a proxy would change if it re-serialized JSON or text. */
const BODY = Buffer.from(
  '{ "probe":true,"big":12345678901234567890.10,"text":"\\u00e9é\\/" ,"a":1,"a":2}\n',
)

function whyElsewhere({ status, headers, body }: SendResult, host: string): string {
  const text = Buffer.from(body).toString('utf8')
  const statusText = `${host} returned ${status ?? 'a response'}`
  if (/ERR_NGROK_3200|is offline/.test(text))
    return `ngrok has no open tunnel at ${host}. Start the tunnel, or set its current URL.`
  if (status === 530 || /\b1033\b/.test(text))
    return `Cloudflare returned ${status ?? ''} because no tunnel is connected at ${host}. Start it again. A new tunnel may take a minute.`
  if (status === 502 || status === 503 || status === 504)
    return `${statusText}: the tunnel or proxy can't reach the receiver. Check where it forwards to.`
  if (status !== null && status >= 300 && status < 400) {
    const to = headers.find(([name]) => name.toLowerCase() === 'location')?.[1] ?? ''
    return `${statusText}${to === '' ? '' : `, a redirect to ${to.slice(0, 200)}`}. The service doesn't follow redirects. Turn off whatever redirects or requires a login.`
  }
  if (status === 401 || status === 403)
    return `${statusText} before anything arrived here. Something in front requires a login, which the service doesn't have.`
  return `${statusText}, but nothing arrived here. Check that the URL points to this receiver.`
}

function whyUnreached({ failure }: SendResult, host: string): string {
  switch (failure?.kind) {
    case undefined:
      return `${host} didn't respond.`
    case 'unknown-host':
      return `${host} can't be resolved. A new tunnel's name may take a minute. Then test it again.`
    case 'timeout':
      return `${host} didn't respond within ${TIMEOUT_MS / 1_000} s. The tunnel may have lost its connection. Test it again, or restart it.`
    case 'certificate':
      return `The certificate of ${host} isn't valid (${failure?.reason ?? 'unknown reason'}). The service only accepts valid certificates. Use one from a public CA, or a tunnel.`
    default:
      return failure?.message ?? ''
  }
}

function judge(
  result: SendResult,
  probe: Probe,
  { host, pathname }: URL,
  signature: string,
): Verdict {
  const arrival = probe.arrived()
  if (arrival === null)
    return result.status === null
      ? { outcome: 'unreachable', message: whyUnreached(result, host) }
      : { outcome: 'elsewhere', message: whyElsewhere(result, host) }
  const short = (path: string) => path.replace(probe.path, '/…')
  const changed = [
    arrival.path !== pathname && `the path (${short(pathname)} arrived as ${short(arrival.path)})`,
    arrival.method !== 'POST' && `the method (POST arrived as ${arrival.method ?? 'nothing'})`,
    !BODY.equals(arrival.body) && 'the body',
    arrival.header(SIGNATURE).join() !== signature && 'the headers',
  ].filter((part) => part !== false)
  if (changed.length > 0)
    return {
      outcome: 'altered',
      message: `Requests to ${host} arrive, but something in front changes ${changed.join(' and ')}. Signatures cover the exact bytes, so requests must arrive unchanged.`,
    }
  if (result.status === 200 && Buffer.from(result.body).toString('utf8') === probe.answer)
    return {
      outcome: 'reached',
      message: `Requests to ${host} arrive unchanged, and so do the responses.`,
    }
  const what =
    result.status === null ? whyUnreached(result, host) : `It arrived as ${result.status}.`
  return {
    outcome: 'no-answer',
    message: `Requests to ${host} arrive, but the response doesn't come back unchanged. ${what} The service would count each delivery as failed.`,
  }
}

/** Tests a public URL; every failure is a result, not a rejection. */
export async function testAddress(
  address: string,
  { clock, probes, sender }: TestAddressDeps,
): Promise<AddressTest> {
  const probe = probes.expect()
  const url = new URL(address.replace(/(?<!\/)\/+$/, '') + probe.path)
  const at = new Date(clock.now()).toISOString()
  const signature = Buffer.from(probe.answer).toString('base64')
  try {
    const result = await sender.send({
      url: url.href,
      method: 'POST',
      headers: [
        ['content-type', 'application/json'],
        [SIGNATURE, signature],
      ],
      body: BODY,
      timeoutMs: TIMEOUT_MS,
    })
    const verdict = judge(result, probe, url, signature)
    return { url: address, at, ...verdict, status: result.status, ms: Math.round(result.ms) }
  } finally {
    probe.forget()
  }
}
