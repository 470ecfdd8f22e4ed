/** The program that verifies a delivery in Ruby, with what its standard library has. */
import { literal, SECRET_VARIABLE, type SnippetLanguage } from './snippet.ts'

const text = (value: string) => literal(value, (base64) => `"${base64}".unpack1("m0")`)

export const ruby: SnippetLanguage = {
  id: 'ruby',
  name: 'Ruby',
  file: 'verify.rb',
  run: 'ruby verify.rb',
  write: ({ bodyBase64, url, timestamp, signature }) => `require "openssl"

# body: the raw bytes, before any parser; url: as registered; timestamp and signature: the values of their headers.
def verify(body, url, timestamp, signature, secret)
  # "m0" is Base-64 without line feeds.
  sign = ->(data) { [OpenSSL::HMAC.digest("SHA256", secret, data)].pack("m0") }
  expected = sign.call(sign.call(body.b + url.b + timestamp.b))
  expected.bytesize == signature.bytesize && OpenSSL.fixed_length_secure_compare(expected, signature)
end

# One delivery, to try it on.
secret = ENV.fetch("${SECRET_VARIABLE}", "")
body = ${bodyBase64 === null ? 'File.binread(ARGV.fetch(0))' : `"${bodyBase64}".unpack1("m0")`}
url = ${text(url)}
timestamp = ${text(timestamp)}
signature = ${text(signature)}
valid = verify(body, url, timestamp, signature, secret)
puts valid ? "valid" : "not valid"
exit valid ? 0 : 1
`,
}
