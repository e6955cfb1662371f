/** The page's own back end knows who is visiting, and makes a short-lived token for that person. */
async function getToken() {
  const response = await fetch('token', { method: 'POST' })
  if (!response.ok) throw new Error(`The token could not be fetched: HTTP ${response.status}.`)
  return response.text()
}

window.ParleyChat?.setGetToken(getToken)
for (const chat of document.querySelectorAll('parley-chat')) chat.getToken = getToken

document.querySelector('#ask')?.addEventListener('click', () => {
  const { open, element } = window.ParleyChat
  open()
  const context = { title: 'Touring bicycle', data: { gears: 24, euros: 890 } }
  element.injectApplicationContext(context)
})
