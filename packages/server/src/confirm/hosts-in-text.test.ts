import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hostOf, hostsInText } from './hosts-in-text.ts'

describe('what a text names', () => {
  test.each<[string, string[]]>([
    ['See https://docs.example.com/guide?x=1#y.', ['docs.example.com']],
    ['(http://a.example/x), <https://b.example>, [c](https://c.example/d)', ['a.example', 'b.example', 'c.example']],
    ['**https://bold.example**, `https://code.example`', ['bold.example', 'code.example']],
    ['HTTPS://Docs.Example.COM./Guide', ['docs.example.com']],
    ['https://docs.example.com:443/ and http://docs.example.com:80/', ['docs.example.com']],
    ['http://docs.example.com:8080/', ['docs.example.com:8080']],
    ['http://docs.example.com:443/', ['docs.example.com:443']],
    ['look at docs.example.com, or example.org/path.', ['docs.example.com', 'example.org']],
    ['Example.COM:8443', ['example.com:8443']],
    ['https://bücher.example/', ['xn--bcher-kva.example']],
    ['https://例え.テスト/', ['xn--r8jz45g.xn--zckzah']],
    ['xn--bcher-kva.example', ['xn--bcher-kva.example']],
    ['帮我看一下https://example.com/a，谢谢', ['example.com']],
    ['请看example.com的文档', ['example.com']],
    ['读一下 https://example.com。', ['example.com']],
    ['http://93.184.216.34/', ['93.184.216.34']],
    ['http://0x5db8d822/', ['93.184.216.34']],
    ['http://[2606:2800:220:1::1]:8080/', ['[2606:2800:220:1::1]:8080']],
    [String.raw`https://good.example\@evil.example/`, ['good.example']],
  ])('%s', (text, hosts) => {
    expect([...hostsInText(text)]).toEqual(hosts)
  })

  test('an address that ends where the next word begins names what stands before it', () => {
    expect(hostsInText('看看https://example.com的内容')).toContain('example.com')
  })

  test.each([
    ['a user name before the host', 'https://good.example@evil.example/'],
    ['a password before the host', 'https://good.example:pw@evil.example/'],
    ['a mail address', 'write to bob@evil.example'],
    ['files', 'README.md, src/main.rs, run.sh, a.py, ./x.zip, libz.so, id_rsa.pub'],
    ['versions and numbers', 'v1.2.3, 3.14, 1.2.3.4'],
    ['abbreviations', 'e.g. this, i.e. that'],
    ['paths', '/etc/evil.example/x and src/evil.example'],
    ['other schemes', 'ftp://evil.example/ file://evil.example/ javascript://evil.example/'],
    ['no host', 'http:// https:///'],
    ['what comes after a very long text', `${' '.repeat(200_000)}evil.example`],
  ])('%s name nothing that could be asked', (_what, text) => {
    const named = [...hostsInText(text)]
    expect(named).not.toContain('evil.example')
    expect(named).not.toContain('good.example')
    for (const host of named) expect(host).not.toMatch(/\.(md|rs|sh|py|zip|so|pub)$/)
  })

  test('no name inside the path or query of a URL is named', () => {
    expect([...hostsInText('https://good.example/evil.example?u=https://evil.example/')]).toEqual(['good.example'])
  })
})

describe('the host of a URL', () => {
  test.each([
    ['https://good.example@evil.example/', undefined],
    ['https://:pw@evil.example/', undefined],
    ['file:///etc/passwd', undefined],
    ['no url', undefined],
    ['https://GOOD.example./x', 'good.example'],
    ['https://good.example:443', 'good.example'],
    ['https://good.example:444', 'good.example:444'],
    ['http://2130706433/', '127.0.0.1'],
  ])('%s: %s', (url, host) => {
    expect(hostOf(url)).toBe(host)
  })
})

const label = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/)
const host = fc.tuple(label, label).map(([first, second]) => `${first}.${second}.example`)

test('a host is named in every spelling of its URL, and neither its parents nor what is below it are', () => {
  fc.assert(
    fc.property(host, fc.webPath(), fc.boolean(), (name, path, isLoud) => {
      const spelled = isLoud ? `${name.toUpperCase()}.` : name
      const named = hostsInText(`Read https://${spelled}${path} for me`)
      expect(named.has(hostOf(`http://${name}/other`)!)).toBe(true)
      expect(named.has(hostOf(`https://x.${name}/`)!)).toBe(false)
      expect(named.has(hostOf(`https://${name.slice(name.indexOf('.') + 1)}/`)!)).toBe(false)
      expect(named.has(hostOf(`https://${name}.evil.example/`)!)).toBe(false)
    }),
  )
})

test('whatever a text says, a host is named only by its own name in it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), host, (text, name) => {
      fc.pre(!text.toLowerCase().includes('example'))
      expect(hostsInText(text).has(name)).toBe(false)
    }),
  )
})

test('a text made to be slow is not', () => {
  for (const piece of ['a.', 'a-', 'https://', 'a@', '.'.repeat(10), 'a.b:', '［'])
    expect(hostsInText(piece.repeat(100_000 / piece.length)).size).toBeLessThanOrEqual(1_000)
})
