import { expect, test } from 'vitest'
import { curlCertificateOptions } from './curl-trust.ts'

const ours = { receiver: 'https://127.0.0.1:4783', caFile: "/data/it's/ca.pem" }

test.each([
  ['https://127.0.0.1:4783/h/one', ours, [String.raw`--cacert '/data/it'\''s/ca.pem'`]],
  ['HTTPS://localhost:4783/h/one', ours, [String.raw`--cacert '/data/it'\''s/ca.pem'`]],
  ['https://127.0.0.1:9443/in', ours, ['--insecure']],
  ['https://127.0.0.1:4783/h/one', { receiver: null, caFile: '/ca.pem' }, ["--cacert '/ca.pem'"]],
  ['https://127.0.0.1:4783/h/one', { receiver: null, caFile: null }, ['--insecure']],
  ['http://127.0.0.1:4783/h/one', ours, []],
  ['https://hooks.example.com/h/one', ours, []],
  ['https://192.168.0.4/in', ours, []],
])('%s with %o is taken by curl with %o', (target, trust, options) => {
  expect(curlCertificateOptions(target, trust)).toEqual(options)
})
