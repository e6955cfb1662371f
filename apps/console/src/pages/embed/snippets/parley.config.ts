export default {
  visitors: {
    jwks: 'https://shop.example.com/.well-known/jwks.json',
    issuer: 'https://shop.example.com',
    audience: 'parley',
  },
}
