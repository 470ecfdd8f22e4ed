/** The program that verifies a delivery in C#, with what its standard library has. */
import { literal, SECRET_VARIABLE, type SnippetLanguage } from './snippet.ts'

const text = (value: string) => literal(value, (base64) => `Encoding.UTF8.GetString(Convert.FromBase64String("${base64}"))`)

export const csharp: SnippetLanguage = {
  id: 'csharp',
  name: 'C#',
  file: 'Program.cs',
  run: 'dotnet run',
  write: ({ bodyBase64, url, timestamp, signature }) => `using System;
using System.IO;
using System.Linq;
using System.Security.Cryptography;
using System.Text;

public static class Program
{
    // body: the raw bytes, before any parser; url: as registered; timestamp and signature: the values of their headers.
    public static bool Verify(byte[] body, string url, string timestamp, string signature, string secret)
    {
        byte[] data = body.Concat(Encoding.UTF8.GetBytes(url + timestamp)).ToArray();
        byte[] expected = Sign(Sign(data, secret), secret);
        byte[] received = Encoding.UTF8.GetBytes(signature);
        // In the same time wherever they differ.
        int difference = expected.Length ^ received.Length;
        for (int i = 0; i < Math.Min(expected.Length, received.Length); i++) difference |= expected[i] ^ received[i];
        return difference == 0;
    }

    private static byte[] Sign(byte[] data, string secret)
    {
        using (var hmac = new HMACSHA256(Encoding.UTF8.GetBytes(secret)))
            return Encoding.ASCII.GetBytes(Convert.ToBase64String(hmac.ComputeHash(data)));
    }

    // One delivery, to try it on.
    public static int Main(string[] args)
    {
        string secret = Environment.GetEnvironmentVariable("${SECRET_VARIABLE}") ?? "";
        byte[] body = ${bodyBase64 === null ? 'File.ReadAllBytes(args[0])' : `Convert.FromBase64String("${bodyBase64}")`};
        string url = ${text(url)};
        string timestamp = ${text(timestamp)};
        string signature = ${text(signature)};
        bool valid = Verify(body, url, timestamp, signature, secret);
        Console.WriteLine(valid ? "valid" : "not valid");
        return valid ? 0 : 1;
    }
}
`,
}
