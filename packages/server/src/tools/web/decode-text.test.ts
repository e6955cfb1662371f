import { expect, test } from 'vitest'
import { decodeText } from './decode-text.ts'

/** 中文 in GBK. */
const GBK = [0xd6, 0xd0, 0xce, 0xc4]

test.each<[string, { parts: (string | number)[]; type?: string }, string]>([
  ['UTF-8 by default', { parts: [...Buffer.from('中文')] }, '中文'],
  ['the charset of the header', { parts: GBK, type: 'text/html; charset=gb2312' }, '中文'],
  ['a charset in quotes and capitals', { parts: GBK, type: 'text/html; Charset="GBK"' }, '中文'],
  [
    'the charset of the page',
    { parts: ['<meta charset="gbk">', ...GBK], type: 'text/html' },
    '<meta charset="gbk">中文',
  ],
  [
    'the charset of an old page',
    { parts: ['<meta http-equiv="Content-Type" content="text/html; charset=gb2312">', ...GBK], type: 'text/html' },
    '<meta http-equiv="Content-Type" content="text/html; charset=gb2312">中文',
  ],
  [
    'the header before the page',
    { parts: ['<meta charset="gbk">中文'], type: 'text/html; charset=utf-8' },
    '<meta charset="gbk">中文',
  ],
  [
    'the encoding of XML',
    { parts: ['<?xml version="1.0" encoding="GB18030"?>', ...GBK] },
    '<?xml version="1.0" encoding="GB18030"?>中文',
  ],
  [
    'GB18030 for what says nothing and is not UTF-8',
    { parts: ['<p>', ...GBK, '</p>'], type: 'text/html' },
    '<p>中文</p>',
  ],
  ['a charset that nobody knows', { parts: ['中文'], type: 'text/html; charset=klingon' }, '中文'],
  [
    'UTF-8 where the page claims UTF-16 in ASCII',
    { parts: ['<meta charset="utf-16">中文'] },
    '<meta charset="utf-16">中文',
  ],
  ['a byte order mark before everything', { parts: [0xff, 0xfe, 0x2d, 0x4e], type: 'text/plain; charset=gbk' }, '中'],
  ['a byte order mark of UTF-8', { parts: [0xef, 0xbb, 0xbf, 'é'], type: 'text/plain; charset=latin1' }, 'é'],
  ['Latin where nothing else fits', { parts: ['caf', 0xe9, 0xff], type: 'text/plain' }, 'caféÿ'],
  ['a character cut in two at the end', { parts: ['中', 0xe6, 0x96], type: 'text/plain' }, '中'],
  ['nothing', { parts: [] }, ''],
])('%s', (_rule, { parts, type = '' }, text) => {
  const bytes = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from([part]))))
  expect(decodeText(bytes, type)).toBe(text)
})
