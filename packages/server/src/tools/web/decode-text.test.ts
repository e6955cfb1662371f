import { expect, test } from 'vitest'
import { decodeText } from './decode-text.ts'

/** 中文 in GBK. */
const GBK = [0xd6, 0xd0, 0xce, 0xc4]

test.each<[string, (string | number)[], string, string]>([
  ['UTF-8 by default', [...Buffer.from('中文')], '', '中文'],
  ['the charset of the header', GBK, 'text/html; charset=gb2312', '中文'],
  ['a charset in quotes and capitals', GBK, 'text/html; Charset="GBK"', '中文'],
  ['the charset of the page', ['<meta charset="gbk">', ...GBK], 'text/html', '<meta charset="gbk">中文'],
  [
    'the charset of an old page',
    ['<meta http-equiv="Content-Type" content="text/html; charset=gb2312">', ...GBK],
    'text/html',
    '<meta http-equiv="Content-Type" content="text/html; charset=gb2312">中文',
  ],
  ['the header before the page', ['<meta charset="gbk">中文'], 'text/html; charset=utf-8', '<meta charset="gbk">中文'],
  [
    'the encoding of XML',
    ['<?xml version="1.0" encoding="GB18030"?>', ...GBK],
    '',
    '<?xml version="1.0" encoding="GB18030"?>中文',
  ],
  ['GB18030 for what says nothing and is not UTF-8', ['<p>', ...GBK, '</p>'], 'text/html', '<p>中文</p>'],
  ['a charset that nobody knows', ['中文'], 'text/html; charset=klingon', '中文'],
  ['UTF-8 where the page claims UTF-16 in ASCII', ['<meta charset="utf-16">中文'], '', '<meta charset="utf-16">中文'],
  ['a byte order mark before everything', [0xff, 0xfe, 0x2d, 0x4e], 'text/plain; charset=gbk', '中'],
  ['a byte order mark of UTF-8', [0xef, 0xbb, 0xbf, 'é'], 'text/plain; charset=latin1', 'é'],
  ['Latin where nothing else fits', ['caf', 0xe9, 0xff], 'text/plain', 'caféÿ'],
  ['a character cut in two at the end', ['中', 0xe6, 0x96], 'text/plain', '中'],
  ['nothing', [], '', ''],
])('%s', (_rule, parts, contentType, text) => {
  const bytes = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from([part]))))
  expect(decodeText(bytes, contentType)).toBe(text)
})
