export const orders = [
  { id: 'A-1001', what: 'Green tea, 500 g', city: 'Hangzhou', status: 'delivered' },
  { id: 'A-1002', what: 'Harbour print, framed', city: 'Ningbo', status: 'on its way' },
  { id: 'A-1003', what: 'Walking shoes, 42', city: 'Wenzhou', status: 'being packed' },
]
