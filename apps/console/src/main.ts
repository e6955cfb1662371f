/** Asks for what every page needs before the interface runs, then draws. */
import { me } from './early.ts'
import { draw } from './app.tsx'
import '@parley/chatkit/chatkit.css'
import './theme/index.css'

draw(document.getElementById('console') ?? document.body, me)
