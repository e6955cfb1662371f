import { createApp } from 'vue'
import './app.css'
import App from './app.vue'

createApp(App).mount('#app')
