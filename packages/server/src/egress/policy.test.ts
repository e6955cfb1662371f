import { expect, test } from 'vitest'
import { EgressError } from './egress-error.ts'
import { createEgressPolicy, type EgressPolicyOptions, type Trust } from './policy.ts'

test.each([
  ['loopback', 'http://127.0.0.1/'],
  ['loopback, another one', 'http://127.8.9.10/'],
  ['loopback with a dot at the end', 'http://127.0.0.1./'],
  ['decimal', 'http://2130706433/'],
  ['hex', 'http://0x7f000001/'],
  ['octal', 'http://0177.0.0.1/'],
  ['hex and octal mixed', 'http://0x7f.0.0.01/'],
  ['short, two parts', 'http://127.1/'],
  ['short, three parts', 'http://127.0.1/'],
  ['zero', 'http://0/'],
  ['this network', 'http://0.0.0.0/'],
  ['full-width digits', 'http://１２７．０．０．１/'],
  ['circled digits', 'http://①②⑦.⓪.⓪.①/'],
  ['percent-encoded', 'http://%31%32%37.0.0.1/'],
  ['a backslash for the slash', 'http:\\\\127.0.0.1\\'],
  ['private, 10', 'http://10.0.0.1/'],
  ['private, 172.16', 'http://172.31.255.255/'],
  ['private, 192.168', 'http://192.168.1.1/'],
  ['link-local metadata', 'http://169.254.169.254/latest/meta-data/'],
  ['metadata in decimal', 'http://2852039166/'],
  ['metadata in hex', 'http://0xA9FEA9FE/'],
  ['shared address space', 'http://100.64.0.1/'],
  ['metadata in shared address space', 'http://100.100.100.200/latest/meta-data/'],
  ['metadata in reserved space', 'http://192.0.0.192/'],
  ['a cloud host service in public space', 'http://168.63.129.16/'],
  ['benchmarking', 'http://198.18.0.1/'],
  ['documentation', 'http://203.0.113.7/'],
  ['multicast', 'http://224.0.0.1/'],
  ['reserved', 'http://240.0.0.1/'],
  ['broadcast', 'http://255.255.255.255/'],
  ['IPv6 loopback', 'http://[::1]/'],
  ['IPv6 loopback in full', 'http://[0000:0000:0000:0000:0000:0000:0000:0001]/'],
  ['IPv6 unspecified', 'http://[::]/'],
  ['IPv4-mapped', 'http://[::ffff:127.0.0.1]/'],
  ['IPv4-mapped in hex', 'http://[::ffff:a9fe:a9fe]/'],
  ['IPv4-mapped in full', 'http://[0:0:0:0:0:ffff:10.0.0.1]/'],
  ['IPv4-compatible', 'http://[::127.0.0.1]/'],
  ['IPv4-compatible, public inside', 'http://[::8.8.8.8]/'],
  ['IPv4-translated', 'http://[::ffff:0:127.0.0.1]/'],
  ['NAT64', 'http://[64:ff9b::7f00:1]/'],
  ['NAT64, public inside', 'http://[64:ff9b::808:808]/'],
  ['NAT64, local use', 'http://[64:ff9b:1::7f00:1]/'],
  ['6to4', 'http://[2002:7f00:1::]/'],
  ['Teredo', 'http://[2001:0:7f00:1::]/'],
  ['IPv6 link-local', 'http://[fe80::1]/'],
  ['unique-local', 'http://[fd00:ec2::254]/'],
  ['site-local', 'http://[fec0::1]/'],
  ['IPv6 documentation', 'http://[2001:db8::1]/'],
  ['IPv6 newer documentation', 'http://[3fff::1]/'],
  ['IPv6 multicast', 'http://[ff02::1]/'],
  ['IPv6 that nobody has', 'http://[4000::1]/'],
  ['localhost', 'http://localhost/'],
  ['localhost in capitals', 'http://LOCALHOST/'],
  ['localhost with a dot', 'http://localhost./'],
  ['below localhost', 'http://admin.localhost/'],
  ['localhost in full-width letters', 'http://ｌｏｃａｌｈｏｓｔ/'],
])('a model may not choose %s: %s', (_what, url) => {
  expect(refusal(url)).toBe('refused_host')
})

test.each([
  ['a zone id', 'http://[fe80::1%25eth0]/'],
  ['no host', 'http:///'],
  ['no URL', 'example.com'],
  ['a number too large', 'http://4294967296/'],
  ['a file', 'file:///etc/passwd'],
  ['another scheme', 'gopher://example.com/'],
  ['data', 'data:text/plain,hi'],
  ['a user name', 'http://user@example.com/'],
  ['a password', 'http://user:secret@example.com/'],
  ['a host that only looks like one', 'http://example.com@127.0.0.1/'],
  ['port 22', 'http://example.com:22/'],
  ['port 25 over https', 'https://example.com:25/'],
  ['port 0', 'http://example.com:0/'],
])('a model may not choose %s: %s', (_what, url) => {
  expect(refusal(url)).toBe('refused_url')
})

test.each([
  'http://example.com/',
  'https://example.com:443/',
  'https://例え.jp/路径?q=1#x',
  'http://example.com:8080/',
  'http://8.8.8.8/',
  'http://[2606:4700:4700::1111]/',
  'http://[::ffff:8.8.8.8]/',
  'http://172.32.0.1/',
  'http://localhost.example.com/',
])('a model may choose %s', (url) => {
  expect(refusal(url)).toBeUndefined()
})

test.each([
  'http://127.0.0.1:11434/v1',
  'http://localhost:8888',
  'http://10.0.0.7:22/',
  'http://[fd00::1]/',
  'https://searx.corp/',
])('an operator may configure %s', (url) => {
  expect(refusal(url, 'configured')).toBeUndefined()
})

test.each(['file:///etc/passwd', 'http://user:secret@searx.corp/'])('not even an operator may configure %s', (url) => {
  expect(refusal(url, 'configured')).toBe('refused_url')
})

test.each(['http://me:hunter2@example.com/', 'http://me:hunter2@[bad'])(
  'the refusal of %s does not repeat the password',
  (url) => {
    const check = () => createEgressPolicy({}).checkUrl(url, 'chosen')
    expect(check).toThrow(EgressError)
    expect(check).not.toThrow('hunter2')
  },
)

test.each<[string, EgressPolicyOptions, [string, Trust, string | undefined]]>([
  ['an allowed range lets its addresses through', { allow: ['10.0.0.0/8'] }, ['http://10.1.2.3/', 'chosen', undefined]],
  ['and no others', { allow: ['10.0.0.0/8'] }, ['http://192.168.0.1/', 'chosen', 'refused_host']],
  ['an allowed address counts in every spelling', { allow: ['127.0.0.1'] }, ['http://0x7f.1/', 'chosen', undefined]],
  ['also mapped', { allow: ['127.0.0.1'] }, ['http://[::ffff:7f00:1]/', 'chosen', undefined]],
  ['an allowed IPv6 range', { allow: ['fd00::/8'] }, ['http://[fd12::1]/', 'chosen', undefined]],
  ['an allowed name', { allow: ['localhost'] }, ['http://LocalHost./', 'chosen', undefined]],
  [
    'deny is stronger than allow',
    { allow: ['10.0.0.0/8'], deny: ['10.0.0.5'] },
    ['http://10.0.0.5/', 'chosen', 'refused_host'],
  ],
  ['and than the configuration', { deny: ['10.0.0.5'] }, ['http://10.0.0.5/', 'configured', 'refused_host']],
  [
    'a denied address, spelled otherwise',
    { deny: ['8.8.8.8'] },
    ['http://[::ffff:808:808]/', 'chosen', 'refused_host'],
  ],
  ['a denied name', { deny: ['example.com'] }, ['http://EXAMPLE.com./', 'chosen', 'refused_host']],
  ['a denied name is that name alone', { deny: ['example.com'] }, ['http://www.example.com/', 'chosen', undefined]],
  ['a star denies what is below', { deny: ['*.example.com'] }, ['http://a.b.example.com/', 'chosen', 'refused_host']],
  ['not the name itself', { deny: ['*.example.com'] }, ['http://example.com/', 'chosen', undefined]],
  ['nor what only ends alike', { deny: ['*.example.com'] }, ['http://badexample.com/', 'chosen', undefined]],
  ['a denied name in letters of its own', { deny: ['例え.jp'] }, ['http://xn--r8jz45g.jp/', 'chosen', 'refused_host']],
  ['a listed port', { ports: [22] }, ['http://example.com:22/', 'chosen', undefined]],
  ['and only listed ones', { ports: [443] }, ['http://example.com/', 'chosen', 'refused_url']],
  ['ports are for models', { ports: [443] }, ['http://example.com:9/', 'configured', undefined]],
])('%s', (_rule, options, [url, trust, code]) => {
  expect(refusal(url, trust, options)).toBe(code)
})

test.each(['https://example.com', 'a b', '10.0.0.0/40', 'example.com:80', '', '*', 'a/*'])(
  '%j is no entry of a list',
  (entry) => {
    expect(() => createEgressPolicy({ deny: [entry] })).toThrow('is no host')
  },
)

type Resolved = [string[], Trust, EgressPolicyOptions]

test.each<Resolved>([
  [['93.184.216.34'], 'chosen', {}],
  [['93.184.216.34', '2606:4700::1'], 'chosen', {}],
  [['10.0.0.1'], 'configured', {}],
  [['10.0.0.1'], 'chosen', { allow: ['site.test'] }],
])('a name that resolves to %j, %s, with %j, may be asked', (addresses, trust, options) => {
  expect(codeOf(() => createEgressPolicy(options).checkAddresses('site.test', addresses, trust))).toBeUndefined()
})

test.each<Resolved>([
  [['93.184.216.34', '10.0.0.1'], 'chosen', {}],
  [['2606:4700::1', 'fe80::1%eth0'], 'chosen', {}],
  [['::ffff:169.254.169.254'], 'chosen', {}],
  [['not an address'], 'chosen', {}],
  [['10.0.0.1'], 'chosen', { allow: ['site.test'], deny: ['10.0.0.0/8'] }],
  [['93.184.216.34', '10.0.0.1'], 'configured', { deny: ['10.0.0.0/8'] }],
])('a name that resolves to %j, %s, with %j, is refused', (addresses, trust, options) => {
  expect(codeOf(() => createEgressPolicy(options).checkAddresses('site.test', addresses, trust))).toBe('refused_host')
})

function refusal(url: string, trust: Trust = 'chosen', options: EgressPolicyOptions = {}): string | undefined {
  return codeOf(() => createEgressPolicy(options).checkUrl(url, trust))
}

function codeOf(check: () => unknown): string | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    return error instanceof EgressError ? error.code : String(error)
  }
}
