import { createApp } from 'vue';
import App from './App.vue';

const session = await (await fetch('/session')).json();
createApp(App, session).mount('#app');
