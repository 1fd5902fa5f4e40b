import type { Texts } from './en.ts';

export const ES: Texts = {
  title: (client) => `¿Permitir que ${client} use sus cuentas?`,
  lead: (application, user) =>
    `Ha iniciado sesión en ${application} como ${user}. Si lo permite, este programa actuará por usted.`,
  client: 'Quién pregunta',
  unnamed: 'Un programa sin nombre',
  address: (host) => `responde por él ${host}`,
  unproved: 'El nombre es lo que dice el programa. Lo que está comprobado es la dirección que hay detrás.',
  noAddress: 'sin ninguna dirección que responda de él',
  nothingProved:
    'El nombre lo dice el propio programa, y nada lo prueba. Mire adónde va el acceso y permita solo lo que haya empezado usted.',
  goesTo: 'Adónde va el acceso',
  thisComputer: 'A un programa de este equipo',
  program: (scheme) => `A un programa de este dispositivo (${scheme})`,
  may: 'Qué puede hacer',
  everything:
    'Leer, crear, cambiar, enviar y eliminar en las cuentas que ha conectado o que conecte más adelante',
  also: 'Y nada que no esté también aquí:',
  nothing: 'Nada: no se pueden leer los límites que pone la aplicación.',
  read: (service) => `Leer en ${service}`,
  write: (service) => `Leer y cambiar en ${service}`,
  oneAccount: 'en una de sus cuentas allí',
  methods: (names) => `solo con ${names}`,
  paths: (paths) => `solo ${paths}`,
  asks: 'después de preguntarle',
  perHour: (count) => `como mucho ${count} veces por hora`,
  choice: 'Cuánto de eso',
  all: 'Todo',
  readOnly: 'Solo leer: no se crea, cambia, envía ni elimina nada',
  allow: 'Permitir',
  refuse: 'No permitir',
  withdraw: 'Puede retirarlo más tarde en la aplicación.',
  invalid: {
    title: 'Este inicio de sesión ya no vale',
    text: 'Vale media hora, una vez, en el navegador en el que empezó. Vuelva a su asistente y conéctelo otra vez.',
  },
  unavailable: {
    title: 'Aquí todavía no se puede iniciar sesión',
    text: 'La aplicación no ha preparado el inicio de sesión para asistentes. Sus responsables pueden hacerlo.',
  },
  providerAway: {
    title: 'El inicio de sesión no responde',
    text: 'No se puede contactar con el servicio de inicio de sesión de la aplicación. No se ha permitido nada. Inténtelo otra vez dentro de unos minutos.',
  },
  providerFailed: {
    title: 'La aplicación no pudo iniciar su sesión',
    text: 'Su servicio de inicio de sesión ha dado una respuesta que aquí no vale. No se ha permitido nada. Inténtelo otra vez; si no ayuda, sus responsables tienen que mirarlo.',
  },
  noLimits: {
    title: 'La aplicación no ha puesto límites',
    text: 'Solo deja actuar a los asistentes dentro de límites que ella pone, y para el suyo no ha puesto ninguno. No se ha permitido nada. Sus responsables tienen que mirarlo.',
  },
  details: 'Datos para el soporte',
  code: 'Código',
  requestId: 'Solicitud',
  failed: {
    title: 'No ha funcionado',
    text: 'No se ha permitido nada. Vuelva a su asistente y conéctelo otra vez, o inténtelo más tarde.',
  },
};
