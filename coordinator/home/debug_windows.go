package home

const noFollow = 0
